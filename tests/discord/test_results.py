"""What Discord sends becomes what a tool promises; payloads that the sandbox does not make are made here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from accord.discord.models.guilds import GuildObject
from accord.discord.models.messages import MessageObject
from accord.discord.pages import cursor_of, onward, place_of
from accord.discord.results.channels import channel, channels
from accord.discord.results.guilds import guild, memberships
from accord.discord.results.members import member
from accord.discord.results.messages import edited, message, messages, sent
from accord.engine import ValidationError

BOT, SOMEONE = "1194611598951007639", "551331362245276506"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
LAST = onward([], "before", full=1)


def payload(number: int = 1, **more: Any) -> MessageObject:
    """A message as Discord sends it, by somebody else and blank."""
    fields = {
        "id": str(10**18 + number),
        "channel_id": "1196396359190498827",
        "type": 0,
        "author": {"id": SOMEONE, "username": "maya"},
        "content": "",
        "timestamp": "2026-05-04T12:00:00+00:00",
        "edited_timestamp": None,
        "pinned": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
    }
    return cast("MessageObject", fields | more)


def warned(*payloads: MessageObject) -> list[str]:
    """The codes of the warnings about a page."""
    return [one["code"] for one in messages(payloads, "1", BOT, LAST).get("warnings", [])]


# --- Blank histories ------------------------------------------------------------------------------------------------


def test_a_page_on_which_every_foreign_message_is_blank_is_suspicious() -> None:
    assert warned(payload(1), payload(2)) == ["message_content_intent_suspected"]


@pytest.mark.parametrize(
    "readable",
    [
        {"content": "x"},
        {"sticker_items": [{"id": "1", "name": "wave"}]},
        {"poll": {"question": {"text": "?"}}},
        {"embeds": [{"title": "x"}]},
        {"components": [{"type": 1}]},
        {"attachments": [{"id": "1", "filename": "x", "size": 1, "url": "https://x.example"}]},
        {"message_snapshots": [{"message": {"content": "x"}}]},
    ],
    ids=lambda readable: next(iter(readable)),
)
def test_a_page_with_anything_to_read_is_not(readable: dict[str, Any]) -> None:
    assert warned(payload(1), payload(2, **readable)) == []


@pytest.mark.parametrize(
    "other",
    [{"type": 7}, {"author": {"id": BOT, "username": "bot"}}, {"mentions": [{"id": BOT, "username": "bot"}]}],
    ids=["a join", "the bot's own", "one to the bot"],
)
def test_messages_that_may_be_blank_or_readable_anyway_say_nothing(other: dict[str, Any]) -> None:
    assert warned(payload(1, **other)) == []
    assert warned(payload(1, **other | {"content": "x"}), payload(2)) == ["message_content_intent_suspected"]


def test_an_empty_page_is_not_suspicious() -> None:
    assert warned() == []


# --- Messages -------------------------------------------------------------------------------------------------------


def test_a_message_without_extras_has_none() -> None:
    assert message(payload(), BOT).keys() == {"id", "author", "content", "timestamp", "edited_timestamp", "type"}


def test_a_page_is_ordered_by_age_whatever_order_it_came_in() -> None:
    page = messages([payload(2), payload(3), payload(1)], "1", BOT, LAST)

    assert [one["id"][-1] for one in page["messages"]] == ["3", "2", "1"]
    assert (page["newest_id"][-1], page["oldest_id"][-1]) == ("3", "1")


def test_a_message_leads_to_its_thread_and_its_webhook() -> None:
    shown = message(payload(thread={"id": "7"}, webhook_id="8", flags=32), BOT)

    assert (shown["thread_id"], shown["webhook_id"], shown["flags"]) == ("7", "8", 32)


def test_an_answer_that_tells_less_than_usual_is_told_as_unknown() -> None:
    file = {"id": "1", "filename": "x", "size": 1, "url": "https://x.example"}

    (shown,) = message(payload(attachments=[file]), BOT)["attachments"]

    assert (shown["content_type"], shown["description"], shown["width"], shown["height"]) == (None, None, None, None)


@pytest.mark.parametrize("kind", [0, 6, 21])
def test_only_a_reply_answers_the_message_it_refers_to(kind: int) -> None:
    reference = {"channel_id": "1", "message_id": "2"}

    assert message(payload(type=19, message_reference=reference), BOT)["reply_to"] == "2"
    assert "reply_to" not in message(payload(type=kind, message_reference=reference), BOT)


def test_a_reply_whose_origin_is_not_told_is_sent_all_the_same() -> None:
    assert "reply_to" not in sent(payload(type=19, message_reference={"channel_id": "1"}), None, "n")


def test_a_forwarded_message_shows_what_was_forwarded() -> None:
    forward = payload(message_snapshots=[{"message": {"content": "x", "embeds": []}}])

    assert message(forward, BOT)["forwarded"] == [{"content": "x", "embeds": []}]


def test_an_edit_without_a_time_has_none() -> None:
    assert edited(payload(), {"flags", "content"})["edited_timestamp"] is None
    assert edited(payload(), {"flags", "content"})["changed"] == ["content", "flags"]


# --- Members, channels, guilds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("until", "shown"),
    [
        ("2026-05-04T12:00:01+00:00", "2026-05-04T12:00:01+00:00"),
        ("2026-05-04T14:00:01.5+02:00", "2026-05-04T14:00:01.5+02:00"),
        ("2026-05-04T12:00:00+00:00", None),
        ("2026-05-04T13:59:59+02:00", None),
        (None, None),
    ],
)
def test_a_time_out_ends_at_its_moment(until: str | None, shown: str | None) -> None:
    found: dict[str, Any] = {
        "user": {"id": SOMEONE, "username": "maya"},
        "roles": [],
        "joined_at": None,
        "communication_disabled_until": until,
    }

    assert member(found, NOON)["timed_out_until"] == shown


def test_a_members_own_avatar_wins_over_the_users() -> None:
    user = {"id": SOMEONE, "username": "maya", "avatar": "users"}
    base: dict[str, Any] = {"user": user, "roles": [], "joined_at": None}

    assert member(base, NOON)["avatar"] == "users"
    assert member(base | {"avatar": "own"}, NOON)["avatar"] == "own"


def test_a_channel_whose_slow_mode_is_null_has_none() -> None:
    shown = channel({"id": "1", "type": 0, "rate_limit_per_user": None})

    assert shown["rate_limit_per_user"] == 0


def test_channels_of_one_position_are_ordered_by_age() -> None:
    sent_channels = [{"id": "2", "type": 0, "position": 1}, {"id": "10", "type": 0}, {"id": "9", "type": 4}]

    assert [one["id"] for one in channels(sent_channels)["channels"]] == ["9", "10", "2"]


def test_a_guild_without_counts_has_none() -> None:
    sent_guild: dict[str, Any] = {"id": "1", "name": "x", "icon": None, "owner_id": "2", "features": []}

    assert not {"member_count", "online_count", "boosts"} & guild(cast("GuildObject", sent_guild)).keys()


def test_a_guilds_counts_and_boosts_come_under_short_names() -> None:
    sent_guild: dict[str, Any] = {
        "id": "1",
        "name": "x",
        "icon": None,
        "owner_id": "2",
        "features": [],
        "approximate_member_count": 5,
        "approximate_presence_count": 3,
        "premium_subscription_count": 14,
    }

    shown = guild(cast("GuildObject", sent_guild))

    assert (shown["member_count"], shown["online_count"], shown["boosts"]) == (5, 3, 14)


def test_names_of_guilds_are_a_line_each() -> None:
    sent_guilds: list[dict[str, Any]] = [
        {"id": name, "name": name, "icon": None, "features": []} for name in ("1", "2")
    ]

    assert memberships(cast("list[GuildObject]", sent_guilds), None, LAST)["untrusted_names"] == "1\n2"


# --- Pages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("way", "last"), [("before", "9" * 17), ("after", "1" * 18)])
def test_a_full_page_goes_on_beyond_its_end(way: Any, last: str) -> None:
    page = onward([{"id": "1" * 18}, {"id": "9" * 17}], way, full=2)

    assert page["has_more"]
    assert place_of(page["next_cursor"]) == {way: last}


def test_a_page_that_is_not_full_is_the_last() -> None:
    assert onward([{"id": "1" * 18}], "before", full=2) == {"next_cursor": None, "has_more": False}


def test_no_cursor_is_the_first_page() -> None:
    assert place_of(None) == {}


@pytest.mark.parametrize("wrong", ["", "x", "=", "YWZ0ZXI6MQ", cursor_of("before", "1" * 21), cursor_of("after", "x")])
def test_a_cursor_that_was_not_given_out_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError) as refused:
        place_of(wrong)

    assert [issue["code"] for issue in refused.value.issues] == ["invalid_cursor"]
