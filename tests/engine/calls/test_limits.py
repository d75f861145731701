"""Quotas: what counts, what is refused, and from when on it is not refused any more."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.clock import Clock
from tests.engine.small_server import Desk, body, calls_of, tool_of

from accord.engine import Caller, Effect, Quota, State, Tool, Toolset, limit_writes, quota_of
from accord.engine.state import MemoryState


async def write(desk: Desk) -> None:
    """Write."""
    desk.done.append("write")


async def read(desk: Desk) -> None:
    """Read."""
    desk.done.append("read")


async def ban(desk: Desk) -> None:
    """Ban."""
    desk.done.append("ban")


async def run(desk: Desk) -> None:
    """Run other tools."""
    desk.done.append("run")


def of_category(category: str, tool: Tool) -> Tool:
    made = Toolset(category)
    made.tool(tool.effect)({"ban": ban, "run": run}[tool.name])
    return made.tools[0]


TOOLS = (
    tool_of(write, Effect.CREATE),
    tool_of(read),
    of_category("members", tool_of(ban, Effect.DELETE)),
    of_category("meta", tool_of(run, Effect.CREATE)),
)


@dataclass
class Place:
    """A server with quotas as its only gate."""

    clock: Clock = field(default_factory=Clock)
    desk: Desk = field(default_factory=Desk)
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.state = MemoryState(clock=self.clock)

    async def call(self, tool: str, *quotas: str, name: str = "ci") -> dict[str, Any] | None:
        """Call as a caller with these quotas; return the refusal, None where the call went through."""
        caller = Caller(id=f"token:{name}", transport="http", quotas=tuple(quota_of(quota) for quota in quotas))
        reply = await calls_of(TOOLS, limit_writes(self.state), desk=self.desk).enter(caller, tool, {})
        refusal = getattr(reply, "is_error", False)
        return body(reply) if refusal else None


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.mark.parametrize(
    ("text", "quota"),
    [
        ("60/h", Quota(60, "h")),
        ("10/m", Quota(10, "m")),
        ("5/d", Quota(5, "d")),
        ("9999/d", Quota(9999, "d")),
        ("5/d:members", Quota(5, "d", "members")),
        ("1/m:messages_send", Quota(1, "m", "messages_send")),
    ],
)
def test_a_quota_is_read_from_its_text_and_written_as_it(text: str, quota: Quota) -> None:
    assert quota_of(text) == quota
    assert str(quota) == text


@pytest.mark.parametrize(
    "text",
    ["", "60", "60/", "/h", "0/h", "-1/h", "60/w", "60 /h", "6.5/h", "10000/h", "٣/h", "60/h:", "60/h:A", "60/h\n"],
)
def test_what_is_no_quota_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="60/h"):
        quota_of(text)


async def test_exactly_as_many_writes_go_through_as_the_quota_says(place: Place) -> None:
    refusals = [await place.call("write", "60/h") for _ in range(100)]

    assert refusals[:60] == [None] * 60
    assert {refusal["code"] for refusal in refusals[60:] if refusal} == {"QUOTA_EXCEEDED"}
    assert place.desk.done == ["write"] * 60


async def test_a_refusal_names_the_quota_and_when_it_is_over(place: Place) -> None:
    await place.call("write", "1/h")
    place.clock.now += 600
    before = datetime.now(UTC)

    refusal = await place.call("write", "1/h")

    assert refusal is not None
    assert (refusal["tool"], refusal["quota"], refusal["retry_after_ms"]) == ("write", "1/h", 3_000_000)
    assert (refusal["category"], refusal["retriable"]) == ("client", True)
    assert refusal["resets_at"] in refusal["recovery_hint"]
    resets_at = datetime.fromisoformat(refusal["resets_at"])
    assert timedelta(seconds=3000) <= resets_at - before <= timedelta(seconds=3010)


async def test_the_window_slides(place: Place) -> None:
    await place.call("write", "2/m")
    place.clock.now += 30
    await place.call("write", "2/m")
    place.clock.now += 30

    assert await place.call("write", "2/m") is None
    assert await place.call("write", "2/m") is not None


async def test_a_refused_write_does_not_count(place: Place) -> None:
    await place.call("write", "1/m")
    place.clock.now += 59
    await place.call("write", "1/m")
    place.clock.now += 1

    assert await place.call("write", "1/m") is None


@pytest.mark.parametrize("tool", ["read", "run"])
async def test_reads_and_tools_about_tools_do_not_count(place: Place, tool: str) -> None:
    refusals = [await place.call(tool, "1/d") for _ in range(5)]

    assert refusals == [None] * 5
    assert await place.call("write", "1/d") is None


async def test_each_caller_has_its_own_count(place: Place) -> None:
    await place.call("write", "1/d", name="ci")

    assert await place.call("write", "1/d", name="alice") is None
    assert await place.call("write", "1/d", name="ci") is not None


async def test_a_caller_without_quotas_is_not_limited(place: Place) -> None:
    assert [await place.call("write") for _ in range(100)] == [None] * 100


@pytest.mark.parametrize("of", ["ban", "members"])
async def test_a_quota_of_one_tool_or_category_counts_only_that(place: Place, of: str) -> None:
    quota = f"1/d:{of}"

    assert [await place.call("write", quota) for _ in range(3)] == [None] * 3
    assert await place.call("ban", quota) is None
    assert await place.call("ban", quota) is not None


@pytest.mark.parametrize("quotas", [("2/m", "3/h"), ("3/h", "2/m")])
async def test_of_several_quotas_each_must_allow_a_write(place: Place, quotas: tuple[str, str]) -> None:
    minute = [await place.call("write", *quotas) for _ in range(3)]
    place.clock.now += 60
    hour = [await place.call("write", *quotas) for _ in range(2)]

    assert [refusal and refusal["quota"] for refusal in minute] == [None, None, "2/m"]
    assert [refusal and refusal["quota"] for refusal in hour] == [None, "3/h"]


async def test_a_lowered_quota_holds_for_what_was_already_written(place: Place) -> None:
    for _ in range(3):
        await place.call("write", "60/h")

    assert await place.call("write", "3/h") is not None
