from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.sandbox.bare_client import uploads

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.permissions import MENTION_EVERYONE, READ_MESSAGE_HISTORY
from accord.discord.sandbox.snowflakes import snowflake_at
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from tests.discord.sandbox.bare_client import BareClient

GENERAL = f"/channels/{demo.GENERAL}/messages"


def fill(sandbox: Sandbox, channel_id: str, number: int) -> list[str]:
    """Put so many messages, a second apart, into an emptied channel; gives their ids, oldest first."""
    channel = sandbox.world.channels[channel_id]
    channel.messages.clear()
    ids = [snowflake_at(sandbox.world.clock() - number + index) for index in range(number)]
    for message_id in ids:
        channel.add(Message(message_id, channel_id, demo.MAYA, "x"))
    return ids


async def test_a_sent_message_can_be_read_back(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"content": "hello"})

    read = await discord("GET", f"{GENERAL}/{sent.json['id']}")

    assert sent.status == 200
    assert read.json == sent.json
    assert "guild_id" not in read.json


async def test_messages_are_listed_newest_first(sandbox: Sandbox, discord: BareClient) -> None:
    ids = fill(sandbox, demo.GENERAL, 60)

    listed = await discord("GET", GENERAL)

    assert [each["id"] for each in listed.json] == ids[:9:-1]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=3", slice(7, 10)),
        ("limit=3&before={5}", slice(2, 5)),
        ("limit=3&after={5}", slice(6, 9)),
        ("limit=3&around={5}", slice(4, 7)),
        ("after={9}", slice(0, 0)),
        ("after=0&limit=100", slice(0, 10)),
    ],
)
async def test_a_page_of_messages_is_the_asked_one(
    sandbox: Sandbox, discord: BareClient, query: str, expected: slice
) -> None:
    ids = fill(sandbox, demo.GENERAL, 10)

    listed = await discord("GET", f"{GENERAL}?{query.format(*ids)}")

    assert [each["id"] for each in listed.json] == ids[expected][::-1]


@pytest.mark.parametrize(
    ("limit", "code", "words"),
    [
        ("250", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100."),
        ("0", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 1."),
        ("-1", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 1."),
        ("many", "NUMBER_TYPE_COERCE", 'Value "many" is not int.'),
    ],
)
async def test_a_limit_out_of_bounds_is_refused(discord: BareClient, limit: str, code: str, words: str) -> None:
    answer = await discord("GET", f"{GENERAL}?limit={limit}")

    assert (answer.status, answer.code) == (400, 50035)
    assert answer.json["errors"] == {"limit": {"_errors": [{"code": code, "message": words}]}}


async def test_without_the_right_to_read_history_the_list_is_empty(sandbox: Sandbox, discord: BareClient) -> None:
    guild = sandbox.world.guilds[demo.GUILD]
    for role_id in (demo.GUILD, demo.BOT_ROLE):
        guild.roles[role_id].permissions &= ~READ_MESSAGE_HISTORY

    assert (await discord("GET", GENERAL)).json == []


async def test_a_message_above_2000_characters_is_refused(discord: BareClient) -> None:
    answer = await discord("POST", GENERAL, {"content": "x" * 2001})

    assert (answer.status, answer.code) == (400, 50035)
    assert answer.json["errors"] == {
        "content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}
    }


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": None, "embeds": []}, {"tts": True}])
async def test_a_message_with_nothing_in_it_is_refused(discord: BareClient, body: Any) -> None:
    answer = await discord("POST", GENERAL, body)

    assert (answer.status, answer.code) == (400, 50006)


async def test_a_fault_deep_in_an_embed_is_told_with_its_place(discord: BareClient) -> None:
    fields = [{"name": "a", "value": "b"}, {"name": "a"}]

    answer = await discord("POST", GENERAL, {"embeds": [{"fields": fields, "color": 16777216, "url": "javascript:x"}]})

    errors = answer.json["errors"]["embeds"]["0"]
    assert errors["fields"]["1"]["value"]["_errors"][0]["code"] == "BASE_TYPE_REQUIRED"
    assert errors["color"]["_errors"][0]["code"] == "NUMBER_TYPE_MAX"
    assert errors["url"]["_errors"][0]["code"] == "URL_TYPE_INVALID_SCHEME"


async def test_embeds_of_more_than_6000_characters_together_are_refused(discord: BareClient) -> None:
    answer = await discord("POST", GENERAL, {"embeds": [{"description": "x" * 2001}] * 3})

    assert answer.json["errors"]["embeds"]["_errors"][0]["code"] == "MAX_EMBED_SIZE_EXCEEDED"


async def test_an_embed_comes_back_as_a_rich_one(discord: BareClient) -> None:
    embed = {"title": "t", "image": {"url": "https://example.org/a.png"}, "fields": [{"name": "n", "value": "v"}]}

    sent = await discord("POST", GENERAL, {"embeds": [embed]})

    assert sent.json["embeds"][0]["type"] == "rich"
    assert sent.json["embeds"][0]["fields"] == [{"name": "n", "value": "v", "inline": False}]


async def test_a_reply_shows_the_message_it_answers(discord: BareClient) -> None:
    asked = (await discord("POST", GENERAL, {"content": "?"})).json["id"]

    reply = await discord("POST", GENERAL, {"content": "!", "message_reference": {"message_id": asked}})

    assert reply.json["type"] == 19
    assert reply.json["referenced_message"]["id"] == asked
    assert reply.json["message_reference"]["guild_id"] == demo.GUILD


async def test_a_reply_to_a_deleted_message_keeps_a_null(discord: BareClient) -> None:
    asked = (await discord("POST", GENERAL, {"content": "?"})).json["id"]
    reply = await discord("POST", GENERAL, {"content": "!", "message_reference": {"message_id": asked}})

    await discord("DELETE", f"{GENERAL}/{asked}")

    read = await discord("GET", f"{GENERAL}/{reply.json['id']}")
    assert read.json["referenced_message"] is None


async def test_a_reply_to_nothing_is_refused_unless_that_is_allowed(discord: BareClient) -> None:
    reference = {"message_id": "1196396359190498999"}

    refused = await discord("POST", GENERAL, {"content": "!", "message_reference": reference})
    plain = await discord(
        "POST", GENERAL, {"content": "!", "message_reference": reference | {"fail_if_not_exists": False}}
    )

    assert refused.json["errors"]["message_reference"]["_errors"][0]["code"] == "REPLIES_UNKNOWN_MESSAGE"
    assert (plain.status, plain.json["type"]) == (200, 0)


EVERYONE_ROLE_USER = f"@everyone <@&{demo.MEMBER_ROLE}> <@&{demo.ADMIN_ROLE}> <@{demo.LENA}>"


@pytest.mark.parametrize(
    ("allowed", "everyone", "roles", "users"),
    [
        (None, True, [demo.MEMBER_ROLE, demo.ADMIN_ROLE], [demo.LENA]),
        ({"parse": []}, False, [], []),
        ({"parse": ["users"]}, False, [], [demo.LENA]),
        ({"parse": [], "users": [demo.LENA]}, False, [], [demo.LENA]),
        ({"parse": [], "users": [demo.OMAR]}, False, [], []),
        ({"parse": ["everyone"], "roles": [demo.MEMBER_ROLE]}, True, [demo.MEMBER_ROLE], []),
    ],
)
async def test_only_allowed_mentions_count(
    discord: BareClient, allowed: Any, everyone: bool, roles: list[str], users: list[str]
) -> None:
    sent = await discord("POST", GENERAL, {"content": EVERYONE_ROLE_USER, "allowed_mentions": allowed})

    assert sent.json["mention_everyone"] is everyone
    assert sent.json["mention_roles"] == roles
    assert [each["id"] for each in sent.json["mentions"]] == users
    assert sent.json["content"] == EVERYONE_ROLE_USER


async def test_without_the_permission_only_mentionable_roles_are_mentioned(
    sandbox: Sandbox, discord: BareClient
) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~MENTION_EVERYONE

    sent = await discord("POST", GENERAL, {"content": EVERYONE_ROLE_USER})

    assert (sent.json["mention_everyone"], sent.json["mention_roles"]) == (False, [demo.MEMBER_ROLE])


@pytest.mark.parametrize(
    ("allowed", "mentioned"), [(None, True), ({"parse": []}, False), ({"replied_user": True}, True)]
)
async def test_the_author_replied_to_is_mentioned_only_if_allowed(
    sandbox: Sandbox, discord: BareClient, allowed: Any, mentioned: bool
) -> None:
    asked = demo.message_with(sandbox.world, demo.GENERAL, "Six works").id

    body = {"content": "!", "message_reference": {"message_id": asked}, "allowed_mentions": allowed}
    sent = await discord("POST", GENERAL, body)

    assert [each["id"] for each in sent.json["mentions"]] == ([demo.LENA] if mentioned else [])


async def test_allowing_all_users_and_some_users_is_refused(discord: BareClient) -> None:
    allowed = {"parse": ["users"], "users": [demo.LENA]}

    answer = await discord("POST", GENERAL, {"content": "x", "allowed_mentions": allowed})

    found = answer.json["errors"]["allowed_mentions"]["parse"]["_errors"][0]
    assert found["code"] == "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"


async def test_an_enforced_nonce_sends_only_once(discord: BareClient) -> None:
    body = {"content": "once", "nonce": "abc", "enforce_nonce": True}

    first, second = await discord("POST", GENERAL, body), await discord("POST", GENERAL, body)

    assert first.json == second.json
    assert first.json["nonce"] == "abc"


async def test_a_nonce_that_is_not_enforced_sends_twice(discord: BareClient) -> None:
    body = {"content": "twice", "nonce": 7}

    first, second = await discord("POST", GENERAL, body), await discord("POST", GENERAL, body)

    assert first.json["id"] != second.json["id"]


async def test_an_enforced_nonce_is_forgotten_after_some_minutes() -> None:
    now = [1.8e9]
    async with Sandbox.start(limits=False, clock=lambda: now[0]) as sandbox:
        channel = sandbox.world.channels[demo.GENERAL]
        sandbox.world.remember_nonce(channel.add(Message("1", channel.id, demo.BOT, nonce="n")))
        now[0] += 301

        assert sandbox.world.sent_before(channel, "n") is None


async def test_a_poll_opens_without_votes(discord: BareClient) -> None:
    answers = [{"poll_media": {"text": "Tea", "emoji": {"name": "🍵"}}}, {"poll_media": {"text": "Coffee"}}]

    sent = await discord("POST", GENERAL, {"poll": {"question": {"text": "Which?"}, "answers": answers}})

    assert [each["answer_id"] for each in sent.json["poll"]["answers"]] == [1, 2]
    assert sent.json["poll"]["results"] == {"answer_counts": [], "is_finalized": False}


async def test_a_known_sticker_is_sent_and_an_unknown_one_refused(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"sticker_ids": [demo.WAVE_STICKER]})
    refused = await discord("POST", GENERAL, {"sticker_ids": [demo.BLOB]})

    assert sent.json["sticker_items"][0]["name"] == "wave"
    assert refused.code == 50081


async def test_an_uploaded_file_can_be_downloaded_byte_for_byte(discord: BareClient) -> None:
    content = bytes(range(256)) + b"\r\n--not-the-boundary\r\n"
    payload = {"content": "see", "attachments": [{"id": "0", "description": "all bytes"}]}

    sent = await discord("POST", GENERAL, form=uploads(payload, ("bytes.bin", content)))

    attachment = sent.json["attachments"][0]
    assert (attachment["filename"], attachment["size"]) == ("bytes.bin", len(content))
    assert attachment["description"] == "all bytes"
    async with discord.session.get(attachment["url"]) as download:
        assert await download.read() == content


async def test_an_attachment_row_without_its_file_is_refused(discord: BareClient) -> None:
    form = uploads({"attachments": [{"id": "3"}]}, ("a.txt", b"a"))

    answer = await discord("POST", GENERAL, form=form)

    assert answer.json["errors"]["attachments"]["0"]["_errors"][0]["code"] == "ATTACHMENT_NOT_FOUND"


async def test_an_embed_can_show_an_uploaded_file(discord: BareClient) -> None:
    payload = {"embeds": [{"image": {"url": "attachment://fish.png"}}]}

    sent = await discord("POST", GENERAL, form=uploads(payload, ("fish.png", b"fish")))

    assert sent.json["embeds"][0]["image"]["url"] == sent.json["attachments"][0]["url"]


async def test_an_edit_changes_the_text_and_says_when(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"content": "teh"})

    edited = await discord("PATCH", f"{GENERAL}/{sent.json['id']}", {"content": "the"})

    assert edited.json["content"] == "the"
    assert sent.json["edited_timestamp"] is None
    assert edited.json["edited_timestamp"] > sent.json["timestamp"]
    assert edited.json["timestamp"] == sent.json["timestamp"]


async def test_an_edit_keeps_the_listed_attachments_and_adds_new_ones(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, form=uploads({}, ("a.txt", b"a"), ("b.txt", b"b")))
    kept = sent.json["attachments"][0]["id"]

    payload = {"attachments": [{"id": kept}, {"id": "0"}]}
    edited = await discord("PATCH", f"{GENERAL}/{sent.json['id']}", form=uploads(payload, ("c.txt", b"c")))

    assert [each["filename"] for each in edited.json["attachments"]] == ["a.txt", "c.txt"]


async def test_an_edit_cannot_leave_a_message_empty(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"content": "x"})

    assert (await discord("PATCH", f"{GENERAL}/{sent.json['id']}", {"content": ""})).code == 50006


async def test_another_authors_message_cannot_be_edited_but_its_embeds_hidden(
    sandbox: Sandbox, discord: BareClient
) -> None:
    message_id = demo.message_with(sandbox.world, demo.GENERAL, "forecast").id

    refused = await discord("PATCH", f"{GENERAL}/{message_id}", {"content": "mine"})
    hidden = await discord("PATCH", f"{GENERAL}/{message_id}", {"flags": 4})

    assert (refused.status, refused.code) == (403, 50005)
    assert hidden.json["flags"] == 4


async def test_a_deleted_message_is_gone(discord: BareClient) -> None:
    sent = await discord("POST", GENERAL, {"content": "x"})

    deleted = await discord("DELETE", f"{GENERAL}/{sent.json['id']}")

    assert (deleted.status, deleted.text) == (204, "")
    assert (await discord("GET", f"{GENERAL}/{sent.json['id']}")).code == 10008


async def test_bulk_delete_passes_unknown_ids_over(sandbox: Sandbox, discord: BareClient) -> None:
    ids = fill(sandbox, demo.GENERAL, 4)

    answer = await discord("POST", f"{GENERAL}/bulk-delete", {"messages": [*ids[:2], snowflake_at(1.9e9)]})

    assert answer.status == 204
    assert list(sandbox.world.channels[demo.GENERAL].messages) == ids[2:]


@pytest.mark.parametrize(
    ("ages_days", "code"), [((1,), 50035), ((1, 15), 50034), ((1, 1), 50035)], ids=["too few", "too old", "twice"]
)
async def test_bulk_delete_refuses_what_discord_refuses(
    sandbox: Sandbox, discord: BareClient, ages_days: tuple[int, ...], code: int
) -> None:
    now = sandbox.world.clock()
    ids = [snowflake_at(now - age * demo.DAY) for age in ages_days]

    assert (await discord("POST", f"{GENERAL}/bulk-delete", {"messages": ids})).code == code


@pytest.mark.parametrize("channel_id", [demo.FORUM, demo.TEXT_CATEGORY])
async def test_a_channel_without_messages_says_so(discord: BareClient, channel_id: str) -> None:
    assert (await discord("GET", f"/channels/{channel_id}/messages")).code == 50008
    assert (await discord("POST", f"/channels/{channel_id}/messages", {"content": "x"})).code == 50008


@pytest.mark.parametrize("channel_id", [demo.GENERAL, demo.VOICE, demo.THREAD, demo.BUG_POST])
async def test_every_kind_of_channel_with_messages_takes_one(discord: BareClient, channel_id: str) -> None:
    sent = await discord("POST", f"/channels/{channel_id}/messages", {"content": "x"})

    assert (sent.status, sent.json["channel_id"]) == (200, channel_id)


async def test_a_direct_message_reaches_who_accepts_them(discord: BareClient) -> None:
    lena = await discord("POST", "/users/@me/channels", {"recipient_id": demo.LENA})
    omar = await discord("POST", "/users/@me/channels", {"recipient_id": demo.OMAR})

    sent = await discord("POST", f"/channels/{lena.json['id']}/messages", {"content": "hi"})
    refused = await discord("POST", f"/channels/{omar.json['id']}/messages", {"content": "hi"})

    assert (sent.status, lena.json["recipients"][0]["id"]) == (200, demo.LENA)
    assert (refused.status, refused.code) == (403, 50007)


async def test_search_finds_words_authors_and_kinds(discord: BareClient) -> None:
    search = f"/guilds/{demo.GUILD}/messages/search"

    words = await discord("GET", f"{search}?content=paper%20bulbs")
    authors = await discord("GET", f"{search}?author_id={demo.OMAR}&channel_id={demo.GENERAL}&sort_order=asc&limit=1")
    images = await discord("GET", f"{search}?has=image")

    assert [[each["content"] for each in group] for group in words.json["messages"]] == [
        ["Me! I am bringing the paper fish and about forty spare bulbs."]
    ]
    assert (authors.json["total_results"], len(authors.json["messages"])) == (2, 1)
    assert images.json["messages"][0][0]["attachments"][0]["filename"] == "paper-fish.png"


async def test_search_does_not_show_what_the_bot_cannot_read(discord: BareClient) -> None:
    found = await discord("GET", f"/guilds/{demo.GUILD}/messages/search?content=door%20code")

    assert found.json["total_results"] == 0


async def test_a_channel_of_a_type_that_is_not_known_yet_takes_messages(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.world.channels[demo.GENERAL].type = 99

    assert (await discord("POST", GENERAL, {"content": "x"})).status == 200
