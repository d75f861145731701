"""What holds for the limiter whatever happens: nobody waits for ever, and no limit is exceeded that could be known."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.discord.rest.timeline import FakeDiscord, Limit, Timeline, headers_of, limited, page, request

from accord.discord.rest.exchange import Answer
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.limits.window import WINDOW_SECONDS

ROUTES = ("GET /channels/{}/messages", "POST /channels/{}/messages", "PUT /channels/{}/messages/pins/{}")
FAULTS: dict[str, Answer | Exception] = {
    "lost": ConnectionResetError(),
    "502": page(502),
    "no headers": Answer(200, {"Via": "1.1 google"}, b"{}"),
    "renamed": Answer(200, headers_of("other", 1, 0, 1.5), b"{}"),
    "limited": limited(1.5),
    "shared": limited(2.5, "shared"),
    "global": limited(1.0, "global"),
    "1015": page(429, {"Retry-After": "3"}),
}


@dataclass(frozen=True)
class Caller:
    """One call: when it comes, what it asks for, its deadline and when its caller goes away, both after its start."""

    after: float
    route: int
    channel: str
    patience: float | None
    leaves_after: float | None


callers = st.builds(
    Caller,
    after=st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.9, 1.0, 2.5]),
    route=st.integers(0, len(ROUTES) - 1),
    channel=st.sampled_from("12"),
    patience=st.sampled_from([None, None, 0.5, 3.0]),
    leaves_after=st.sampled_from([None, None, None, 0.0, 0.05, 0.7]),
)
patient = st.builds(
    Caller,
    after=st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.9, 1.0, 2.5]),
    route=st.just(0),
    channel=st.sampled_from("12"),
    patience=st.none(),
    leaves_after=st.none(),
)


@dataclass
class Town:
    """Callers, the limiter and a Discord whose limits are fixed windows, some shared by routes."""

    size: int
    seconds: float
    latency: float
    per_second: int
    timeline: Timeline = field(default_factory=Timeline)

    def __post_init__(self) -> None:
        self.limits = {
            (channel, name): Limit(name, self.size, self.seconds) for channel in "12" for name in ("reads", "writes")
        }
        self.discord = FakeDiscord(
            self.timeline,
            lambda request: self.limits[str(request.values[0]), "reads" if request.method == "GET" else "writes"],
            latency=self.latency,
        )
        self.limiter = Limiter(
            requests_per_second=self.per_second, longest_wait_ms=3_600_000, scheduler=lambda: self.timeline
        )

    async def call(self, caller: Caller) -> object:
        await self.timeline.sleep(caller.after)
        route = ROUTES[caller.route]
        deadline = None if caller.patience is None else self.timeline.now + caller.patience
        asked = request(route, caller.channel, *(["7"] if route.count("{}") == 2 else []), deadline=deadline)
        task = asyncio.ensure_future(self.limiter(asked, self.discord))
        if caller.leaves_after is not None:
            self.timeline.call_later(caller.leaves_after, partial(task.cancel))
        (outcome,) = await asyncio.gather(task, return_exceptions=True)
        return outcome

    def most_starts(self) -> int:
        starts = [at for at, _request in self.discord.seen]
        return max(sum(first <= at < first + WINDOW_SECONDS - 1e-6 for at in starts) for first in starts)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(callers, min_size=1, max_size=25),
    st.lists(st.sampled_from(sorted(FAULTS)), max_size=6),
    st.integers(1, 4),
    st.sampled_from([0.02, 0.4, 1.3]),
    st.integers(1, 6),
)
async def test_every_call_ends_and_the_next_one_gets_through(
    crowd: list[Caller], faults: list[str], size: int, latency: float, per_second: int
) -> None:
    town = Town(size, 1.0, latency, per_second)
    town.discord.acts = [FAULTS[name] for name in faults]

    await town.timeline.run(*(town.call(caller) for caller in crowd))
    town.discord.acts.clear()
    await town.timeline.advance(600)
    later = await town.timeline.run(*(town.call(Caller(0, 0, channel, None, None)) for channel in "12"))

    assert [answer.status for answer in later if isinstance(answer, Answer)] == [200, 200]
    assert not town.limiter.edge.room
    assert town.most_starts() <= per_second


@settings(max_examples=120, deadline=None)
@given(
    st.lists(patient, min_size=1, max_size=25),
    st.integers(1, 5),
    st.sampled_from([0.5, 1.0, 4.0]),
    st.sampled_from([0.02, 0.1, 0.6]),
)
async def test_who_keeps_to_what_the_headers_say_never_meets_a_limit(
    crowd: list[Caller], size: int, seconds: float, latency: float
) -> None:
    town = Town(size, seconds, latency, per_second=50)

    answers = await town.timeline.run(*(town.call(caller) for caller in crowd))

    assert [answer.status for answer in answers if isinstance(answer, Answer)] == [200] * len(crowd)
    assert town.discord.most_flying <= 2 * size
