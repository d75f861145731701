"""A sealed state: what was changed without the key is not there, and all else is as in any state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from accord.engine import Binding, Ledger, SealedState, Secret
from accord.engine.state import MemoryState

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = Secret("k" * 32)
BOUND = Binding(tool="layout_send", target="channel 1", payload_hash="0" * 64, caller="token:ci")


@pytest.fixture
def store() -> MemoryState:
    return MemoryState()


@pytest.fixture
def sealed(store: MemoryState) -> SealedState:
    return SealedState(store, KEY)


async def test_what_was_put_comes_back(sealed: SealedState) -> None:
    assert await sealed.put("key", b"value")
    assert not await sealed.put("key", b"other", only_if_absent=True)

    assert [await sealed.get("key"), await sealed.take_once("key"), await sealed.get("key")] == [b"value"] * 2 + [None]


async def test_another_process_with_the_key_reads_it_and_one_without_does_not(
    store: MemoryState, sealed: SealedState
) -> None:
    await sealed.put("key", b"value")

    assert await SealedState(store, KEY).get("key") == b"value"
    assert await SealedState(store, Secret("x" * 32)).get("key") is None


FORGERIES: dict[str, Callable[[bytes], bytes]] = {
    "another value": lambda held: held[:32] + b"forged",
    "a bit of the value": lambda held: held[:-1] + bytes([held[-1] ^ 1]),
    "a bit of the seal": lambda held: bytes([held[0] ^ 1]) + held[1:],
    "no seal": lambda held: held[32:],
    "half a seal": lambda held: held[:16],
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_what_was_changed_is_not_there(store: MemoryState, sealed: SealedState, forgery: str) -> None:
    await sealed.put("key", b"value")
    held = await store.get("key")
    assert held is not None
    await store.put("key", FORGERIES[forgery](held))

    assert await sealed.get("key") is None
    assert await sealed.take_once("key") is None


async def test_a_value_is_sealed_under_its_own_name(store: MemoryState, sealed: SealedState) -> None:
    await sealed.put("key", b"value")
    held = await store.get("key")
    assert held is not None
    await store.put("other", held)

    assert await sealed.get("other") is None


async def test_an_approval_that_was_changed_is_missing(store: MemoryState, sealed: SealedState) -> None:
    ledger = Ledger(sealed)
    issued = await ledger.issue(BOUND)
    (key,) = await store.keys("approval:")
    held = await store.get(key)
    assert held is not None
    await store.put(key, held.replace(b"channel 1", b"channel 2"))

    assert await ledger.consume(issued.id, BOUND) == "missing"


async def test_windows_keys_and_topics_are_those_of_the_store(store: MemoryState, sealed: SealedState) -> None:
    await sealed.put("a:1", b"")
    async with sealed.listen("topic") as heard:
        await sealed.notify("topic", b"news")
        assert await anext(heard) == b"news"

    assert await sealed.count_in_window("window", window_seconds=60, limit=1) == 0.0
    assert await store.count_in_window("window", window_seconds=60, limit=1) > 0.0
    assert await sealed.keys("a:") == ["a:1"]
    await sealed.delete("a:1")
    assert await store.get("a:1") is None
    await sealed.close()
