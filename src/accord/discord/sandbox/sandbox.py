"""An embedded Discord on the loopback interface: starting it, arranging it and looking into it."""

from __future__ import annotations

import time
from collections import deque
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from accord.discord.sandbox import codes, demo
from accord.discord.sandbox.api import Api, route_key_of
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.control import Control
from accord.discord.sandbox.exchanges import KEPT_EXCHANGES, Exchange, ExchangeLog
from accord.discord.sandbox.faults import Faults, layered
from accord.discord.sandbox.invalid import BAN_AFTER, InvalidRequests, ban_notice
from accord.discord.sandbox.limits import Limits
from accord.discord.sandbox.pictures import plain_png, png_size
from accord.discord.sandbox.server import HOST, loopback_socket, serving
from accord.discord.sandbox.wire import Answer, Request, refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from accord.discord.sandbox.fault_kinds import Following
    from accord.discord.sandbox.faults import Times
    from accord.discord.sandbox.world import World


class Sandbox:
    """A stateful stand-in for Discord's HTTP API; `world` is its state, free to be read and arranged.

    `base_url` is the API's address without a version, `token` the one bot token that it accepts. `file_requests` are
    the last requests for messages' files, oldest first: these lie beside the API.
    """

    def __init__(
        self,
        world: World,
        *,
        limits: bool = True,
        ban_after: int = BAN_AFTER,
        on_exchange: Callable[[Exchange], None] | None = None,
    ) -> None:
        """Make one that listens nowhere; `Sandbox.start` is the usual way."""
        self.world = world
        self.token = demo.TOKEN
        self.base_url = f"{world.origin}/api"
        self._on_exchange = on_exchange
        self._log = ExchangeLog()
        self.file_requests: deque[Request] = deque(maxlen=KEPT_EXCHANGES)
        self._faults = Faults(world.me.id)
        self._invalid = InvalidRequests(world.clock, ban_after)
        self._control = Control(self._faults, self._log, self._invalid)
        self._api = Api(world, self.token, Limits(world.clock, enforced=limits))

    @classmethod
    @asynccontextmanager
    async def start(
        cls,
        port: int = 0,
        on_exchange: Callable[[Exchange], None] | None = None,
        *,
        limits: bool = True,
        ban_after: int = BAN_AFTER,
        clock: Callable[[], float] = time.time,
    ) -> AsyncIterator[Sandbox]:
        """Serve the demo world on 127.0.0.1 until the block ends.

        Port 0 takes any free one. `on_exchange` hears of every API exchange before its answer is sent. Without `limits`
        nobody is told to wait or sees headers of a limit, unless a fault asks for it. An address is blocked at
        `ban_after` invalid requests in 10 minutes. `clock` tells the Unix time in seconds. Raises OSError for a port
        that is taken.
        """
        with loopback_socket(port) as listener:
            world = demo.world(clock, origin=f"http://{HOST}:{listener.getsockname()[1]}")
            sandbox = cls(world, limits=limits, ban_after=ban_after, on_exchange=on_exchange)
            rooms = {
                "/api/v10": sandbox.answer,
                "/api": sandbox.answer,
                "/_sandbox": sandbox._control.answer,
                "/attachments": sandbox._send_file,
            }
            async with serving(listener, rooms):
                yield sandbox

    @property
    def requests(self) -> tuple[Exchange, ...]:
        """The last exchanges, oldest first: at most 10,000, with at most 64 MiB of bodies."""
        return tuple(exchange for _number, exchange in self._log)

    @property
    def invalid_requests(self) -> int:
        """How many requests of the last 10 minutes Discord would count as invalid: it blocks their address at 10,000.

        They are those answered 401, 403 or 429, but for limits of scope shared.
        """
        return self._invalid.count

    def fail(self, route: str, kind: str, *, times: Times = "usual", skip: int = 0, **options: Any) -> None:
        """Let the next requests on a route (`POST /channels/{}/messages`, or `*` for all) meet a fault.

        `skip` of them pass first. `times` None lasts until `heal`; the usual is once, or until then for the kinds that
        last. A request meets the first waiting fault that answers it, and the first of each kind that changes its
        answer. Raises ValueError for an unknown route, kind or option. `fault_kinds.KINDS` lists kinds and options.
        """
        self._faults.add(route, kind, options, times=times, skip=skip)

    def heal(self) -> None:
        """Let every request be answered rightly again."""
        self._faults.clear()

    async def answer(self, request: Request) -> Answer:
        """Serve one API request, meeting the faults that wait for it, and record the exchange."""
        answer = ban_notice() if self._invalid.banned else await self._met(request)
        exchange = Exchange(
            request.method, request.path, request.query, request.headers, request.body,
            answer.status, answer.headers, answer.body,
        )  # fmt: skip
        self._log.add(exchange)
        if self._on_exchange is not None:
            self._on_exchange(exchange)
        return answer

    async def _met(self, request: Request) -> Answer:
        """Answer a request through the faults that it meets; what these make of the answer changes no count."""
        struck = self._faults.strike(route_key_of(request))
        counted = partial(self._counted, layered(struck.answers, self._served))
        return await layered(struck.changes, counted)(request)

    async def _counted(self, following: Following, request: Request) -> Answer:
        answer = await following(request)
        self._invalid.add_if_invalid(answer)
        return answer

    async def _served(self, request: Request) -> Answer:
        return self._api.answer(request)

    async def _send_file(self, request: Request) -> Answer:
        """Serve a file of a message, as Discord's CDN does; with a width and a height, a picture of that size."""
        self.file_requests.append(request)
        _channel_id, _slash, rest = request.path.removeprefix("/").partition("/")
        upload = self.world.files.get(rest.partition("/")[0])
        if upload is None:
            return refusal(Refused(codes.NOT_FOUND))
        asked = dict(parse_qsl(request.query))
        if png_size(upload.content) and asked.keys() >= {"width", "height"}:
            return Answer(200, {"Content-Type": "image/png"}, plain_png(int(asked["width"]), int(asked["height"])))
        return Answer(200, {"Content-Type": upload.content_type}, upload.content)
