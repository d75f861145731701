"""Wallets that use a mortal server, and keep what each was told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tests.deside.crash.promises import Heard
from tests.loopback import HELLO, post_of

from accord.deside.client.discovery import Endpoints, discover
from accord.deside.client.errors import RefusedError, UnreachableError
from accord.deside.client.http import Answer, Http
from accord.deside.client.sign_in import register, renew, sign_in
from accord.deside.client.tokens import Grant
from accord.deside.client.wallet import LocalWallet

__all__ = ["Links", "Person"]

Json: TypeAlias = Any

PAGE: Final = 100


@dataclass
class Links:
    """A person's two agents, and the link between them that it has: `sure` unless an answer is missing."""

    agents: list[str]
    active: str | None = None
    sure: bool = True

    @property
    def fields(self) -> Json:
        return {"label": "both", "primary_agent_catalog_id": self.agents[0], "agent_catalog_ids": self.agents}


@dataclass
class Person:
    """One wallet, signed in through the real flow.

    `spent` is a refresh token that was replaced, `doubtful` one of which nobody knows whether it was; `cursor` and
    `log` are of sync_messages.
    """

    wallet: LocalWallet
    http: Http
    url: str
    grant: Grant | None = None
    session: str = ""
    spent: Grant | None = None
    doubtful: bool = False
    cursor: str | None = None
    log: list[Heard] = field(default_factory=list)
    links: Links | None = None
    under_way: set[str] = field(default_factory=set)
    _endpoints: Endpoints | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def address(self) -> str:
        return self.wallet.address

    async def enter(self) -> None:
        """Sign in, and open a session unless there is one."""
        self._endpoints = self._endpoints or await discover(self.http, self.url)
        client_id = self.grant.client_id if self.grant else await register(self.http, self._endpoints)
        self.grant = await sign_in(self.http, self._endpoints, self.wallet, client_id)
        self.spent, self.doubtful = None, False
        if not self.session:
            answer = await self._post(post_of("initialize", HELLO, id=next(self._numbers)))
            assert answer.status == 200, answer.body
            self.session = answer.headers["mcp-session-id"]

    async def call(self, tool: str, **arguments: Json) -> Json:
        """Return what a tool says.

        Raises:
            UnreachableError: The server died.
            AssertionError: It lives, and the session or the token are not what they were.
        """
        answer = await self.ask(tool, **arguments)
        assert answer.status == 200, (self.address, tool, answer.status, answer.body)
        return answer.json["result"]["structuredContent"]

    async def ask(self, tool: str, **arguments: Json) -> Answer:
        """Call a tool and return whatever comes."""
        params = {"name": tool, "arguments": arguments}
        return await self._post(post_of("tools/call", params, id=next(self._numbers)))

    async def refresh(self) -> None:
        """Use the refresh token.

        Raises:
            UnreachableError: The server died, and nobody knows whether it was used.
            RefusedError: It is not good.
        """
        assert self.grant is not None
        assert self._endpoints is not None
        self.doubtful = True
        before, self.grant = self.grant, await renew(self.http, self._endpoints, self.grant)
        self.spent, self.doubtful = before, False

    async def is_refused(self, grant: Grant) -> bool:
        """Whether a refresh token is good no more."""
        assert self._endpoints is not None
        try:
            await renew(self.http, self._endpoints, grant)
        except RefusedError as refused:
            return (refused.error, refused.status) == ("invalid_grant", 400)
        return False

    async def sync(self) -> bool:
        """Hear one page more; the cursor moves on once it was heard. Return whether there is more."""
        cursor = {} if self.cursor is None else {"cursor": self.cursor}
        page = await self.call("sync_messages", limit=PAGE, **cursor)
        self.log += map(Heard.of, page["messages"])
        self.cursor = page["next_cursor"]
        return bool(page["has_more"])

    async def catch_up(self) -> None:
        """Hear all that is there."""
        while await self.sync():
            pass

    async def pages(self, tool: str, rows: str) -> list[Json]:
        """Return all rows of a list."""
        found: list[Json] = []
        cursor: dict[str, str] = {}
        while True:
            page = await self.call(tool, limit=PAGE, **cursor)
            found += page[rows]
            if not page["hasMore"]:
                return found
            cursor = {"cursor": page["nextCursor"]}

    async def requests(self) -> dict[str, list[str]]:
        """Return the texts that wait for consent, by who sent them."""
        found = await self.pages("list_contact_requests", "requests")
        return {row["wallet"]: [message["content"] for message in row["messages"]] for row in found}

    async def history(self, conv_id: str) -> list[tuple[int, str, str]]:
        """Return the number, sender and text of all messages of a conversation, the oldest first."""
        found: list[Json] = []
        before: dict[str, int] = {}
        while True:
            page = await self.call("read_dms", conv_id=conv_id, limit=PAGE, **before)
            found += page["messages"]
            if not page["hasMore"]:
                return [(row["seq"], row["sender"], row["content"]) for row in reversed(found)]
            before = {"before_seq": int(page["nextCursor"])}

    async def link(self) -> None:
        """Link the two agents, or revoke the link that there is."""
        assert self.links is not None
        links = self.links
        links.sure = False
        if links.active is None:
            prepared = await self.call("prepare_agent_identity_link", **links.fields)
            signed = {"signed_message": prepared["message"], "signature": self.wallet.sign(prepared["message"])}
            links.active = (await self.call("create_agent_identity_link", **links.fields, **signed))["linkId"]
        else:
            await self.call("revoke_agent_identity_link", link_id=links.active)
            links.active = None
        links.sure = True

    async def _post(self, message: Json) -> Answer:
        headers = {"accept": "application/json, text/event-stream"}
        if self.grant is not None:
            headers["authorization"] = f"Bearer {self.grant.access_token.reveal()}"
        if self.session:
            headers["mcp-session-id"] = self.session
        answer = await self.http.post(self.url, message, headers)
        if answer.status == 200 and answer.json is None:
            raise UnreachableError("the answer is not whole")
        return answer
