"""Whatever is sent, the sandbox gives an answer of Discord's: it never falls over itself."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accord.discord.sandbox import demo
from accord.discord.sandbox.api import Api
from accord.discord.sandbox.demo_hooks import INTERACTION, INTERACTION_TOKEN, LOBBY, WEBHOOK, WEBHOOK_TOKEN
from accord.discord.sandbox.limits import Limits
from accord.discord.sandbox.snowflakes import snowflake_at
from accord.discord.sandbox.wire import Request

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = 1_800_000_000.0
HEADERS = {"authorization": f"Bot {demo.TOKEN}", "content-type": "application/json"}
GENERAL = f"/channels/{demo.GENERAL}"
GUILD = f"/guilds/{demo.GUILD}"
EMBED = {
    "title": "t", "url": "https://a.example", "color": 1, "timestamp": "2026-01-01T00:00:00",
    "author": {"name": "a", "icon_url": "https://a.example"}, "footer": {"text": "f"},
    "image": {"url": "https://a.example"}, "fields": [{"name": "n", "value": "v", "inline": True}],
}  # fmt: skip
POLL = {"question": {"text": "q"}, "answers": [{"poll_media": {"text": "a", "emoji": {"name": "x"}}}], "duration": 1}
BUTTONS = {"type": 1, "components": [{"type": 2, "style": 1, "custom_id": "a", "emoji": {"id": demo.BLOB}}]}
MENU = {"type": 3, "custom_id": "a", "options": [{"label": "a", "value": "b"}], "default_values": [{"id": "1"}]}
PICTURE = {"type": 11, "media": {"url": "https://a.example"}}
LAYOUT = [
    {"type": 9, "components": [{"type": 10, "content": "c"}], "accessory": PICTURE},
    {"type": 17, "components": [{"type": 12, "items": [{"media": {"url": "https://a.example"}}]}]},
    {"type": 13, "file": {"url": "https://weather.example/a.txt"}},
    {"type": 14, "spacing": 1},
    {"type": 1, "components": [MENU]},
]
MESSAGE = {
    "content": f"<@{demo.LENA}>", "embeds": [EMBED], "poll": POLL, "components": [BUTTONS], "attachments": [],
    "allowed_mentions": {"parse": ["users"], "roles": [demo.MEMBER_ROLE], "replied_user": True}, "flags": 0,
    "message_reference": {"message_id": "1", "fail_if_not_exists": False}, "nonce": "a", "enforce_nonce": True,
    "sticker_ids": [demo.WAVE_STICKER],
}  # fmt: skip
CHANNEL = {
    "name": "n", "topic": "t", "type": 0, "parent_id": demo.TEXT_CATEGORY, "position": 1, "nsfw": True, "flags": 0,
    "permission_overwrites": [{"id": demo.MEMBER_ROLE, "type": 0, "allow": "0", "deny": "0"}],
}  # fmt: skip
FORUM = {"available_tags": [{"name": "t", "emoji_name": "x"}], "default_reaction_emoji": {"emoji_name": "x"}}
ROLE = {"name": "n", "permissions": "1", "color": 1, "colors": {"primary_color": 1}, "hoist": True}
MEMBER = {"nick": "n", "roles": [], "communication_disabled_until": "2027-01-16T00:00:00+00:00", "flags": 1}
THREAD = {"name": "n", "archived": False, "locked": True, "applied_tags": [], "auto_archive_duration": 60, "flags": 1}
HOOK = f"/webhooks/{WEBHOOK}/{WEBHOOK_TOKEN}"
CALLBACK = f"/interactions/{INTERACTION}/{INTERACTION_TOKEN}/callback"
LOBBY_FIELDS = {
    "metadata": {"a": "b"}, "flags": 1, "idle_timeout_seconds": 5, "override_event_webhooks_url": "https://a.example",
    "members": [{"id": demo.LENA, "metadata": {"a": "b"}, "flags": 1}],
}  # fmt: skip
SHAPES: list[tuple[str, str, Any]] = [
    ("POST", f"{GENERAL}/messages", MESSAGE),
    ("POST", f"{GENERAL}/messages", {"flags": 1 << 15, "components": LAYOUT}),
    ("POST", f"{GENERAL}/messages/bulk-delete", {"messages": [snowflake_at(NOW), snowflake_at(NOW, 1)]}),
    ("PATCH", f"/channels/{demo.BUG_POST}/messages/{demo.BUG_POST}", {"content": "x", "embeds": [EMBED], "flags": 4}),
    ("PATCH", GENERAL, CHANNEL),
    ("PATCH", f"/channels/{demo.FORUM}", FORUM),
    ("POST", f"{GUILD}/channels", {"name": "n", "type": 15, **FORUM}),
    ("PATCH", f"{GUILD}/members/{demo.LENA}", MEMBER),
    ("POST", f"{GUILD}/roles", ROLE),
    ("PATCH", f"{GUILD}/roles/{demo.MEMBER_ROLE}", ROLE),
    ("PUT", f"{GENERAL}/permissions/{demo.MEMBER_ROLE}", {"type": 0, "allow": "1", "deny": "1"}),
    ("POST", f"{GENERAL}/threads", {"name": "n", "type": 11, "auto_archive_duration": 60}),
    ("POST", f"/channels/{demo.FORUM}/threads", {"name": "n", "applied_tags": [], "message": {"content": "x"}}),
    ("PATCH", f"/channels/{demo.THREAD}", THREAD),
    ("POST", "/users/@me/channels", {"recipient_id": demo.LENA}),
    ("POST", f"{GENERAL}/webhooks", {"name": "n", "avatar": "data:image/png;base64,AA=="}),
    ("PATCH", f"/webhooks/{WEBHOOK}", {"name": "n", "avatar": None, "channel_id": demo.WELCOME}),
    ("PATCH", HOOK, {"name": "n"}),
    ("POST", HOOK, {**MESSAGE, "username": "n", "avatar_url": "https://a.example"}),
    ("POST", f"{HOOK}/slack", {"text": "t", "username": "n", "attachments": [{"title": "t", "text": "t"}]}),
    ("POST", f"{HOOK}/github", {"sender": {"login": "n"}, "repository": {"full_name": "a/b"}, "action": "opened"}),
    ("POST", CALLBACK, {"type": 4, "data": {**MESSAGE, "flags": 64}}),
    ("POST", CALLBACK, {"type": 5, "data": {"flags": 64}}),
    ("POST", CALLBACK, {"type": 9, "data": {"custom_id": "c", "title": "t", "components": [{"type": 18}]}}),
    ("POST", "/lobbies", LOBBY_FIELDS),
    ("PATCH", f"/lobbies/{LOBBY}", LOBBY_FIELDS),
    ("POST", f"/lobbies/{LOBBY}/members/bulk", [{"id": demo.LENA, "metadata": {"a": "b"}, "remove_member": False}]),
    ("PUT", f"/lobbies/{LOBBY}/members/{demo.THEO}", {"metadata": {"a": "b"}, "additional_name": "n"}),
]
ODD_VALUES: list[Any] = [
    None, True, 0, 1, 17, -1, 2**63, 1 << 15, 1.5, "", "x", "1", "²", "x" * 4097, "http://[", "2026-01-01T00:00:00",
    "9999-12-31T23:59:59-12:00", "attachment://a", demo.LENA, demo.GENERAL, demo.MEMBER_ROLE, [], {}, [[]], [{}],
    [None],
]  # fmt: skip


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a JSON value, the whole included."""
    yield place
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in inner:
        yield from places(each, (*place, step))


def with_value(whole: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    whole[place[0]] = with_value(whole[place[0]], place[1:], value)
    return whole


def answer_to(method: str, path: str, body: Any) -> int:
    api = Api(demo.world(lambda: NOW, ""), demo.TOKEN, Limits(lambda: NOW, enforced=False))
    return api.answer(Request(method, path, "", HEADERS, orjson.dumps(body))).status


@pytest.mark.parametrize(("method", "path", "body"), SHAPES)
def test_the_shapes_to_begin_with_are_understood(method: str, path: str, body: Any) -> None:
    assert answer_to(method, path, body) in {200, 201, 204, 403}


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_odd_value_makes_the_sandbox_fall_over(data: st.DataObject) -> None:
    method, path, body = copy.deepcopy(data.draw(st.sampled_from(SHAPES)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(body))))
        body = with_value(body, place, copy.deepcopy(data.draw(st.sampled_from(ODD_VALUES))))

    assert 200 <= answer_to(method, path, body) < 500
