"""The table of what can be paid with: its outcome, what is in the books, and what the treasury has.

Each row prepares a sale, presents a payment and, where that was held, settles it; whatever happens, the money that is
there afterwards is counted.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import orjson
import pytest
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import AdvanceNonceAccountParams, advance_nonce_account
from solders.token import ID as TOKEN_PROGRAM
from solders.transaction import VersionedTransaction
from tests.clock import Clock
from tests.deside.payments.market import BOB, PRICE, Market, market, order

from accord.deside.errors import PaymentInvalidError
from accord.deside.payments.checking import MOST_PRIORITY_LAMPORTS, SIGNERS
from accord.deside.payments.opening import LEAST_LAMPORTS
from accord.deside.payments.seller import Held
from accord.deside.store import open_store
from accord.deside.usdc import account_of

Json: TypeAlias = dict[str, Any]

USDC: Final = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
MEMO: Final = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
LIGHTHOUSE: Final = Pubkey.from_string("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95")


@pytest.fixture
async def open_market(tmp_path: Any) -> AsyncIterator[Market]:
    """A market on SQLite: what differs between databases is the ledger's, whose tests run on both."""
    store = open_store(f"sqlite:///{tmp_path / 'deside.db'}")
    yield market(store, Clock())
    await store.close()


@dataclass
class Forge:
    """Makes payments that differ from a right one where a case says so."""

    market: Market
    accepted: Json
    payer: Keypair

    @classmethod
    async def of(cls, at: Market) -> Forge:
        quoted = await at.seller.quote(order())
        return cls(at, quoted["accepts"][0], at.sandbox.payer)

    @property
    def fee_payer(self) -> Pubkey:
        return Pubkey.from_string(self.accepted["extra"]["feePayer"])

    def account(self, owner: object, mint: str = USDC) -> Pubkey:
        return Pubkey.from_string(account_of(str(owner), mint))

    def transfer(
        self,
        amount: int = PRICE,
        *,
        to: str | None = None,
        mint: str = USDC,
        source: Pubkey | None = None,
        authority: Pubkey | None = None,
        decimals: int = 6,
    ) -> Instruction:
        own = self.payer.pubkey()
        accounts = [
            AccountMeta(source or self.account(own, mint), is_signer=False, is_writable=True),
            AccountMeta(Pubkey.from_string(mint), is_signer=False, is_writable=False),
            AccountMeta(self.account(to or self.accepted["payTo"], mint), is_signer=False, is_writable=True),
            AccountMeta(authority or own, is_signer=True, is_writable=False),
        ]
        return Instruction(TOKEN_PROGRAM, bytes([12, *amount.to_bytes(8, "little"), decimals]), accounts)

    def memo(self, text: str | bytes | None = None, *accounts: AccountMeta) -> Instruction:
        said = self.accepted["extra"]["memo"] if text is None else text
        return Instruction(MEMO, said.encode() if isinstance(said, str) else said, list(accounts))

    def instructions(self, *more: Instruction, **transfer: Any) -> list[Instruction]:
        return [*budget(), self.transfer(**transfer), *(more or (self.memo(),))]

    def signed(
        self,
        instructions: list[Instruction],
        *,
        payer: Pubkey | None = None,
        tables: list[AddressLookupTableAccount] | None = None,
        blockhash: str | None = None,
        keys: tuple[Keypair, ...] = (),
    ) -> VersionedTransaction:
        recent = Hash.from_string(blockhash or self.market.chain.blockhash)
        message = MessageV0.try_compile(payer or self.fee_payer, instructions, tables or [], recent)
        return with_signatures(message, (self.payer, *keys))

    def payment(self, transaction: VersionedTransaction | None = None, **other: Any) -> str:
        """Return a payment in base64: the right one, but for what is given."""
        whole = transaction or self.signed(self.instructions())
        own = {
            "x402Version": 2,
            "payload": {"transaction": base64.b64encode(bytes(whole)).decode()},
            "accepted": self.accepted,
        }
        return base64.b64encode(orjson.dumps(own | other)).decode()


def budget(units: int = 20_000, price: int = 1) -> list[Instruction]:
    return [set_compute_unit_limit(units), set_compute_unit_price(price)]


def with_signatures(message: MessageV0 | Message, keys: tuple[Keypair, ...]) -> VersionedTransaction:
    """Sign a message with these keys; the fee payer's signature stays empty."""
    signed = to_bytes_versioned(message)
    by_address = {key.pubkey(): key.sign_message(signed) for key in keys}
    signers = message.account_keys[: message.header.num_required_signatures]
    return VersionedTransaction.populate(message, [by_address.get(key, Signature.default()) for key in signers])


Make: TypeAlias = Callable[[Forge], str]

GOOD: Final[dict[str, Make]] = {
    "the usual payment": lambda f: f.payment(),
    "a payment with the resource that it is for": lambda f: f.payment(resource={"url": "mcp://deside/x"}),
    "a legacy transaction": lambda f: f.payment(
        with_signatures(
            Message.new_with_blockhash(f.instructions(), f.fee_payer, Hash.from_string(f.market.chain.blockhash)),
            (f.payer,),
        )
    ),
    "the highest priority fee": lambda f: f.payment(f.signed([*budget(20_000, 50_000), f.transfer(), f.memo()])),
    "a guard that a wallet put in, behind the memo": lambda f: f.payment(guarded(f, f.memo(), guard())),
    "two guards that a wallet put in, before the memo": lambda f: f.payment(guarded(f, guard(), guard(), f.memo())),
}
"""What is taken."""

BAD: Final[dict[str, tuple[str, Make]]] = {
    # What arrives is no payment.
    "not base64": ("invalid_payload", lambda f: "%%%"),
    "not JSON": ("invalid_payload", lambda f: base64.b64encode(b"hello").decode()),
    "a list": ("invalid_x402_version|invalid_payload", lambda f: base64.b64encode(b"[]").decode()),
    "far too long": ("invalid_payload", lambda f: "A" * 20_000),
    "version 1": ("invalid_x402_version", lambda f: f.payment(x402Version=1)),
    "no version": ("invalid_x402_version", lambda f: f.payment(x402Version=None)),
    "nothing accepted": ("invalid_payload", lambda f: f.payment(accepted=None)),
    "no memo accepted": ("requirements_mismatch", lambda f: f.payment(accepted={**f.accepted, "extra": {}})),
    "no transaction": ("could_not_be_decoded", lambda f: f.payment(payload={})),
    "a transaction of another type": ("could_not_be_decoded", lambda f: f.payment(payload={"transaction": 7})),
    "a garbage transaction": ("could_not_be_decoded", lambda f: f.payment(payload={"transaction": "AAAA"})),
    "a transaction with bytes after it": (
        "could_not_be_decoded",
        lambda f: f.payment(
            payload={"transaction": base64.b64encode(bytes(f.signed(f.instructions())) + b"x").decode()}
        ),
    ),
    # What is accepted is not what was quoted.
    "a lowered amount": ("requirements_mismatch", lambda f: f.payment(accepted={**f.accepted, "amount": "1"})),
    "another receiver accepted": ("requirements_mismatch", lambda f: f.payment(accepted={**f.accepted, "payTo": BOB})),
    "another network": ("requirements_mismatch", lambda f: f.payment(accepted={**f.accepted, "network": "solana:x"})),
    "another scheme": ("requirements_mismatch", lambda f: f.payment(accepted={**f.accepted, "scheme": "upto"})),
    "another asset accepted": ("requirements_mismatch", lambda f: f.payment(accepted={**f.accepted, "asset": BOB})),
    "another fee payer": (
        "requirements_mismatch",
        lambda f: f.payment(accepted={**f.accepted, "extra": {**f.accepted["extra"], "feePayer": BOB}}),
    ),
    # The transaction does not do what was accepted.
    "one atomic unit too little": ("amount", lambda f: f.payment(f.signed(f.instructions(amount=PRICE - 1)))),
    "one atomic unit too much": ("amount_mismatch", lambda f: f.payment(f.signed(f.instructions(amount=PRICE + 1)))),
    "another receiver": ("recipient_mismatch", lambda f: f.payment(f.signed(f.instructions(to=BOB)))),
    "another mint": ("mint_mismatch", lambda f: f.payment(f.signed(f.instructions(mint=str(BOB))))),
    "wrong decimals": ("simulation_failed", lambda f: f.payment(f.signed(f.instructions(decimals=5)))),
    "another quote's memo": ("memo_mismatch", lambda f: f.payment(f.signed(f.instructions(f.memo("0" * 32))))),
    "no memo": ("memo_count", lambda f: f.payment(f.signed([*budget(), f.transfer()]))),
    "two memos": ("memo_count", lambda f: f.payment(f.signed(f.instructions(f.memo(), f.memo())))),
    "a memo that is no text": ("invalid_payload", lambda f: f.payment(f.signed(f.instructions(f.memo(b"\xff\xfe"))))),
    "a program nobody knows": (
        "unknown_fourth_instruction",
        lambda f: f.payment(f.signed(f.instructions(Instruction(Pubkey.from_string(BOB), b"", []), f.memo()))),
    ),
    "seven instructions": ("instructions_length", lambda f: f.payment(f.signed(f.instructions(*[f.memo()] * 4)))),
    "no limit of compute units": (
        "compute_limit",
        lambda f: f.payment(f.signed([*reversed(budget()), f.transfer(), f.memo()])),
    ),
    "too high a price of compute units": (
        "compute_price",
        lambda f: f.payment(f.signed([*budget(price=5_000_001), f.transfer(), f.memo()])),
    ),
    "a priority fee that is a little too high": (
        "priority_fee_too_high",
        lambda f: f.payment(f.signed([*budget(20_000, 50_001), f.transfer(), f.memo()])),
    ),
    "the highest price that x402 knows, at the units of its own buyers": (
        "priority_fee_too_high",
        lambda f: f.payment(f.signed([*budget(20_000, 5_000_000), f.transfer(), f.memo()])),
    ),
    "a fee that drains the fee payer": (
        "priority_fee_too_high",
        lambda f: f.payment(f.signed([*budget(1_400_000, 5_000_000), f.transfer(), f.memo()])),
    ),
    "a durable nonce, which never expires": ("compute_limit|instructions_length", lambda f: f.payment(durable(f))),
    # Whose money it is.
    "the fee payer's own money": (
        "fee_payer|transferring",
        lambda f: f.payment(f.signed(f.instructions(authority=f.fee_payer))),
    ),
    "the fee payer in the memo's accounts": (
        "fee_payer_in_instruction_accounts",
        lambda f: f.payment(
            f.signed(f.instructions(f.memo(None, AccountMeta(f.fee_payer, is_signer=True, is_writable=False))))
        ),
    ),
    "the fee payer in a guard's accounts": (
        "fee_payer_in_instruction_accounts",
        lambda f: f.payment(f.signed(f.instructions(guard(signing(f.fee_payer)), f.memo()))),
    ),
    "a third signer, for whom the fee payer pays": ("signers_mismatch", lambda f: f.payment(thrice(f))),
    "the treasury paying itself": ("transfer_to_itself", lambda f: f.payment(to_itself(f))),
    "an address lookup table": ("could_not|lookup|invalid_payload", lambda f: f.payment(with_table(f))),
    "a flipped bit in the signature": ("invalid_signature", lambda f: f.payment(flipped(f))),
    "no signature": ("invalid_signature", lambda f: f.payment(with_signatures(f.signed(f.instructions()).message, ()))),
    "a payer without enough money": ("simulation_failed", lambda f: f.payment(poor(f, 1999))),
    "a payer without a token account": ("simulation_failed", lambda f: f.payment(poor(f, None))),
}
"""What is refused with PAYMENT_INVALID, and why; nothing of it is charged or reserved."""


def usual(f: Forge) -> VersionedTransaction:
    return f.signed(f.instructions())


def signing(address: Pubkey) -> AccountMeta:
    return AccountMeta(address, is_signer=True, is_writable=False)


def guard(*accounts: AccountMeta) -> Instruction:
    """Return what wallets put in to see that nothing but this happens to their money."""
    return Instruction(LIGHTHOUSE, b"as before", list(accounts))


def guarded(f: Forge, *more: Instruction) -> VersionedTransaction:
    """Return a payment with guards, on a chain where something stands in for their program."""
    memo = f.market.chain.account(str(MEMO))
    assert memo is not None
    f.market.chain._svm.add_program(LIGHTHOUSE, memo.data)
    return f.signed([*budget(60_000), f.transfer(), *more])


def durable(f: Forge) -> VersionedTransaction:
    account = Keypair().pubkey()
    advance = advance_nonce_account(AdvanceNonceAccountParams(nonce_pubkey=account, authorized_pubkey=f.payer.pubkey()))
    return f.signed([advance, *f.instructions()])


def thrice(f: Forge) -> VersionedTransaction:
    other = Keypair()
    return f.signed(f.instructions(f.memo(None, signing(other.pubkey()))), keys=(other,))


def to_itself(f: Forge) -> VersionedTransaction:
    return f.signed(f.instructions(source=f.account(f.accepted["payTo"])))


def with_table(f: Forge) -> VersionedTransaction:
    hidden = [f.account(f.accepted["payTo"]), Pubkey.from_string(USDC)]
    return f.signed(f.instructions(), tables=[AddressLookupTableAccount(Keypair().pubkey(), hidden)])


def flipped(f: Forge) -> VersionedTransaction:
    whole = f.signed(f.instructions())
    signature = bytearray(bytes(whole.signatures[1]))
    signature[0] ^= 1
    return VersionedTransaction.populate(whole.message, [Signature.default(), Signature.from_bytes(bytes(signature))])


def poor(f: Forge, usdc: int | None) -> VersionedTransaction:
    f.payer = Keypair()
    if usdc is not None:
        f.market.sandbox.fund(str(f.payer.pubkey()), usdc)
    return f.signed(f.instructions())


@pytest.mark.parametrize("case", GOOD)
async def test_what_pays_exactly_what_was_quoted_is_settled(open_market: Market, case: str) -> None:
    forge = await Forge.of(open_market)

    held = await open_market.seller.present(order(), GOOD[case](forge))
    assert isinstance(held, Held)
    receipt = (await open_market.seller.settle(held)).receipt
    await open_market.seller.deliver(held)

    assert open_market.earned == PRICE
    assert receipt["amount"] == str(PRICE)
    assert receipt["payer"] == str(forge.payer.pubkey())
    assert open_market.chain.landed(receipt["transaction"]) is not None
    assert (await open_market.sale(held.nonce)).state == "settled"


async def test_a_fee_payer_that_is_not_called_poor_pays_for_a_hundred_payments(open_market: Market) -> None:
    costliest = SIGNERS * 5_000 + MOST_PRIORITY_LAMPORTS

    assert open_market.chain.rent(0) + 100 * costliest <= LEAST_LAMPORTS


@pytest.mark.parametrize("case", BAD)
async def test_what_does_not_is_refused_and_costs_nothing(open_market: Market, case: str) -> None:
    forge = await Forge.of(open_market)
    reason, make = BAD[case]
    paid_fees = open_market.chain.lamports(str(forge.fee_payer))

    with pytest.raises(PaymentInvalidError) as refused:
        await open_market.seller.present(order(), make(forge))

    assert any(one in str(refused.value.reason) for one in reason.split("|")), refused.value.reason
    assert open_market.earned == 0
    assert open_market.chain.lamports(str(forge.fee_payer)) == paid_fees
    assert (await open_market.sale(forge.accepted["extra"]["memo"])).state == "quoted"


async def test_a_refused_payment_leaves_its_quote_open_for_the_right_one(open_market: Market) -> None:
    forge = await Forge.of(open_market)
    with pytest.raises(PaymentInvalidError):
        await open_market.seller.present(order(), forge.payment(flipped(forge)))

    held = await open_market.seller.present(order(), forge.payment())

    await open_market.seller.settle(held)
    assert open_market.earned == PRICE
