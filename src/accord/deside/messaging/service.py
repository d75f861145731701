"""Direct messages as one wallet sees them: sent, read, listed, synced; and requests to be let in."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar
from uuid import uuid4

import orjson
import sqlalchemy as sa

from accord.deside.errors import CannotDmSelfError, InvalidMeaningError, NotFoundError
from accord.deside.messaging import asking, listing, reading, rich, syncing
from accord.deside.messaging.letters import Letter, Limits
from accord.deside.messaging.outcomes import Raced
from accord.deside.messaging.pairs import Pair, pair_of
from accord.deside.messaging.requests import Released, accept, decline
from accord.deside.messaging.sending import Posted, send
from accord.deside.messaging.telling import Tell, Teller
from accord.deside.models.messages import (
    ContactRequests,
    Conversations,
    DmReceived,
    Marked,
    Messages,
    RequestAnswered,
    Sent,
    Synced,
)
from accord.deside.times import Clock, iso, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database, Issue

__all__ = ["Messaging", "nobody_hears"]

Json: TypeAlias = Any
Result = TypeVar("Result")

TRIES = 12
"""How often a transaction begins anew because another one came first; each time one of those that met is done."""

PREVIEW_CHARACTERS = 100

USUAL = Limits()


async def nobody_hears(_wallet: Wallet, _params: Mapping[str, Json]) -> None:
    """Tell nobody."""


class Messaging:
    """The service. `tell` brings a notification to a wallet's sessions; close it before what it uses."""

    def __init__(
        self, store: Database, *, clock: Clock = time.time, limits: Limits = USUAL, tell: Tell = nobody_hears
    ) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits
        self._teller = None if tell is nobody_hears else Teller(tell)

    async def send(
        self,
        wallet: Wallet,
        to_wallet: Wallet,
        *,
        text: str | None = None,
        blocks: Sequence[Json] | None = None,
        idempotency_key: str | None = None,
    ) -> Sent:
        """Send a message of a text or of blocks.

        Raises:
            ToolError: It is refused, and nothing is kept.
        """
        if wallet == to_wallet:
            raise CannotDmSelfError
        content, kept = _said(text, blocks)
        letter = Letter(
            pair=Pair(wallet, to_wallet),
            client_msg_id=idempotency_key or uuid4().hex,
            content=content,
            blocks=kept,
            at_ms=ms_of(self._clock),
        )
        posted = await self._write(partial(send, letter=letter, limits=self._limits))
        if posted.is_new and self._teller is not None:
            self._teller.soon(to_wallet, _news(letter, posted))
        return _sent(letter, posted)

    async def read(self, wallet: Wallet, conv_id: str, *, limit: int = 50, before_seq: int | None = None) -> Messages:
        """Return one page of a conversation, the newest message first."""
        pair = pair_of(wallet, conv_id)
        return await self._store.read(partial(reading.page, pair=pair, limit=limit, before_seq=before_seq))

    async def mark_read(self, wallet: Wallet, conv_id: str, seq: int) -> Marked:
        """Mark a conversation as read up to a message."""
        return await self._write(partial(reading.mark, pair=pair_of(wallet, conv_id), seq=seq))

    async def conversations(self, wallet: Wallet, *, limit: int = 20, cursor: str | None = None) -> Conversations:
        """Return one page of conversations, the last used first."""
        return await self._store.read(partial(listing.conversations, wallet=wallet, limit=limit, cursor=cursor))

    async def sync(
        self, wallet: Wallet, *, cursor: str | None = None, conv_id: str | None = None, limit: int = 50
    ) -> Synced:
        """Return what was written since a cursor."""
        pair = None if conv_id is None else pair_of(wallet, conv_id)
        return await self._store.read(partial(syncing.since, wallet=wallet, limit=limit, cursor=cursor, pair=pair))

    async def requests(self, wallet: Wallet, *, limit: int = 20, cursor: str | None = None) -> ContactRequests:
        """Return one page of the requests that wait for this wallet's answer."""
        return await self._store.read(partial(asking.pending, wallet=wallet, limit=limit, cursor=cursor))

    async def answer_request(
        self, wallet: Wallet, requester: Wallet, answer: Literal["accept", "decline"]
    ) -> RequestAnswered:
        """Accept a request, which delivers what waits and makes both contacts, or decline it, which drops it.

        Raises:
            NotFoundError: This wallet asked for nothing.
        """
        pair, at_ms = Pair(wallet, requester), ms_of(self._clock)
        if answer == "decline":
            if not await self._write(partial(decline, pair=pair, at_ms=at_ms)):
                raise NotFoundError(resource="contact request")
            return _answered(pair, None)
        released = await self._write(partial(accept, pair=pair, at_ms=at_ms))
        if released is None:
            raise NotFoundError(resource="contact request")
        return _answered(pair, released)

    async def close(self) -> None:
        """Let the notifications that were begun end."""
        if self._teller is not None:
            await self._teller.close()

    async def _write(self, work: Callable[[sa.Connection], Result]) -> Result:
        """Run a transaction, anew where another one came first."""
        for _ in range(TRIES - 1):
            try:
                return await self._store.write(work)
            except (Raced, sa.exc.IntegrityError):  # the latter: the same key at the same time
                continue
        return await self._store.write(work)


def _said(text: str | None, blocks: Sequence[Json] | None) -> tuple[str, str | None]:
    """Return what a message says as plain text, and its blocks as JSON."""
    if blocks is not None and text is None:
        checked = rich.checked(blocks)
        return rich.rendered(checked), orjson.dumps(checked).decode()
    if text is None or blocks is not None:
        words = "is needed, or blocks, and not both"
        raise InvalidMeaningError(issues=[Issue(path="text", message=words, code="custom")])
    if not text.strip() or "\0" in text:
        words = "says nothing" if not text.strip() else "has a NUL character"
        raise InvalidMeaningError(issues=[Issue(path="text", message=words, code="custom")])
    return text, None


def _sent(letter: Letter, posted: Posted) -> Sent:
    sent: Sent = {"convId": letter.pair.conv_id, "status": posted.status, "clientMsgId": letter.client_msg_id}
    return sent if posted.seq is None else {**sent, "seq": posted.seq}


def _news(letter: Letter, posted: Posted) -> DmReceived:
    return {
        "convId": None if posted.seq is None else letter.pair.conv_id,
        "sender": letter.pair.own,
        "preview": letter.content[:PREVIEW_CHARACTERS],
        "seq": posted.seq,
        "isNewConversation": posted.begins,
        "timestamp": iso(letter.at_ms),
    }


def _answered(pair: Pair, released: Released | None) -> RequestAnswered:
    count = 0 if released is None else released.count
    return {
        "wallet": pair.peer,
        "convId": pair.conv_id,
        "status": "declined" if released is None else "accepted",
        "delivered": count,
        "firstSeq": released.last_seq - count + 1 if released is not None and count else None,
        "lastSeq": released.last_seq if released is not None and count else None,
    }
