"""`deside-mcp complete` signs once: what it signed is kept until it is answered, and presented again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest
from tests.deside.cli.command import ran, started
from tests.deside.completions.node import node
from tests.deside.completions.upstream import upstream
from tests.deside.served import served

from accord.deside.cli import completing
from accord.deside.cli.completing import Purse, Wanted
from accord.deside.cli.keeping import PaymentFileError, kept_until_answered, read_payment_file
from accord.deside.client import DesideError, LocalWallet, ToolFailedError, UnreachableError

REQUIRED = ToolFailedError({"error": "PAYMENT_REQUIRED", "data": {}})
CONFLICT = ToolFailedError({"error": "CONFLICT"})
LOST = UnreachableError("connection reset")
UNKNOWN = ToolFailedError({"error": "PAYMENT_FAILED", "outcome": "unknown"})
ANSWER = {"text": "Four."}


@dataclass
class Service:
    """Answers each call with what comes next, and keeps what it was asked."""

    answers: list[Any]
    payments: list[str | None] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> Any:
        self.payments.append(arguments.get("payment"))
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Pen:
    async def pay(self, required: object) -> str:
        return "signed"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def pen(*_: object) -> AsyncIterator[Pen]:
        yield Pen()

    monkeypatch.setattr(completing, "_buyer", pen)
    monkeypatch.setattr(completing, "AGAIN_SECONDS", 0)


async def bought(service: Service, folder: Path, file: Path | None = None) -> Any:
    wanted = Wanted(text="hi", tier="cheap", max_tokens=None, max_usdc=Decimal("0.05"), rpc=None, payment_file=file)
    return await completing._bought(service, Purse(LocalWallet.new(), None), wanted, folder)  # type: ignore[arg-type] # a stand-in


async def test_a_call_whose_answer_was_lost_is_repeated_until_it_is_served_no_more(tmp_path: Path) -> None:
    service = Service([REQUIRED, LOST, CONFLICT, CONFLICT, CONFLICT, ANSWER])

    assert await bought(service, tmp_path) == ANSWER
    assert service.payments == [None, *["signed"] * 5]
    assert left_in(tmp_path) == []


async def test_what_is_served_without_end_is_given_up(tmp_path: Path) -> None:
    service = Service([REQUIRED, *[CONFLICT] * 1000])

    with pytest.raises(ToolFailedError):
        await bought(service, tmp_path)

    assert len(service.payments) == 20


@pytest.mark.parametrize("failures", [[UNKNOWN], [LOST, LOST], [asyncio.CancelledError()], [KeyboardInterrupt()]])
async def test_whatever_goes_wrong_after_signing_the_payment_is_kept_and_good_for_the_same_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], failures: list[BaseException]
) -> None:
    service = Service([REQUIRED, *failures])
    with pytest.raises(type(failures[-1])):
        await bought(service, tmp_path / "payments")

    (file,) = (tmp_path / "payments").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"--payment {file}" in capsys.readouterr().err

    again = Service([ANSWER])
    assert await bought(again, tmp_path / "payments", file) == ANSWER
    assert again.payments == ["signed"]
    assert not file.exists()


async def test_a_payment_that_was_signed_before_is_never_replaced_by_another(tmp_path: Path) -> None:
    file = tmp_path / "payment"
    file.write_text("signed before\n")
    service = Service([REQUIRED])

    with pytest.raises(ToolFailedError, match="PAYMENT_REQUIRED"):
        await bought(service, tmp_path, file)

    assert service.payments == ["signed before"]
    assert file.read_text() == "signed before\n"


async def test_nothing_is_sent_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "payments").write_text("a file where the folder should be")
    service = Service([REQUIRED, ANSWER])

    with pytest.raises(PaymentFileError, match="nothing was paid"):
        await bought(service, tmp_path / "payments")

    assert service.payments == [None]


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xfe"])
def test_a_file_without_a_payment_is_said_to_have_none(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "payment"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(PaymentFileError, match="payment"):
        read_payment_file(file)


def test_a_payment_is_on_the_disk_while_it_is_presented(tmp_path: Path) -> None:
    with kept_until_answered("signed", tmp_path):
        (file,) = tmp_path.iterdir()
        assert read_payment_file(file) == "signed"

    assert issubclass(PaymentFileError, DesideError)
    assert list(tmp_path.iterdir()) == []


async def test_who_interrupts_a_call_that_is_being_charged_gets_its_answer_with_the_kept_payment(
    tmp_path: Path,
) -> None:
    wallet = tmp_path / "wallet.json"
    async with node() as chain, upstream() as model:
        LocalWallet(chain.sandbox.payer).save(wallet)
        env = {"DESIDE_LLM_CHEAP_BASE_URL": model.url, "DESIDE_LLM_CHEAP_MODEL": "m", **chain.settings}
        async with served(f"sqlite:///{tmp_path / 'deside.db'}", env=env) as service:
            words = ("--url", f"http://127.0.0.1:{service.port}", "--wallet", str(wallet), "--rpc", chain.url)
            faults, sent = chain.sandbox.chain.faults, asyncio.Event()
            faults.meanwhile, faults.unconfirmed = sent.set, 10_000
            async with started("complete", *words, "two and two", home=tmp_path) as running:
                await sent.wait()
                interrupted = await running.end(SIGINT)
            faults.unconfirmed = 0
            file = interrupted.err.split("--payment ", 1)[1].split(" presents", 1)[0]
            told = await ran("complete", *words, "--payment", file, "two and two", home=tmp_path)

    assert interrupted.code != 0
    assert (told.code, told.out.splitlines()[0], chain.earned) == (0, "Four.", 2_000)
    assert left_in(Path(file).parent) == []


def left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())
