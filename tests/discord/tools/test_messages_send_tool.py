"""messages_send: what goes out, what comes back, and what never leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.channel_settings import STAGE, settings_at_first
from accord.discord.sandbox.world import Channel

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox
    from accord.discord.sandbox.world import Message

MISSING = "1199999999999999999"
SKU = "1234567890123456789"
STAGE_CHANNEL = "1196399999999999999"
DIRECT = "1196398888888888888"

EMBED = {
    "title": "Saturday night",
    "description": "Clear.",
    "url": "https://weather.example/saturday",
    "color": 0x1ABC9C,
    "timestamp": "2026-05-04T18:42:00+02:00",
    "author": {"name": "Forecast", "url": "https://weather.example", "icon_url": "https://weather.example/i.png"},
    "footer": {"text": "weather.example", "icon_url": "https://weather.example/f.png"},
    "image": {"url": "https://weather.example/map.png"},
    "thumbnail": {"url": "https://weather.example/sun.png"},
    "fields": [{"name": "Sunset", "value": "18:42", "inline": True}],
}
ROWS = [
    {
        "type": 1,
        "components": [
            {"type": 2, "style": 1, "label": "Come", "custom_id": "come", "emoji": {"name": "🐟"}, "disabled": False},
            {"type": 2, "style": 5, "label": "Map", "url": "https://weather.example/map"},
        ],
    },
    {
        "type": 1,
        "components": [
            {
                "type": 3,
                "custom_id": "when",
                "placeholder": "When?",
                "min_values": 1,
                "max_values": 1,
                "options": [{"label": "Six", "value": "6", "description": "at dusk", "default": True}],
            }
        ],
    },
    {"type": 1, "components": [{"type": 5, "custom_id": "who", "placeholder": "Who?"}]},
]
POLL = {
    "question": {"text": "Tea or soup?"},
    "answers": [
        {"poll_media": {"text": "Tea", "emoji": {"name": "🍵"}}},
        {"poll_media": {"text": "Soup", "emoji": {"id": demo.BLOB}}},
    ],
    "duration": 48,
    "allow_multiselect": True,
}
SILENT = {"parse": [], "replied_user": False}


def newest(sandbox: Sandbox, channel_id: str = demo.GENERAL) -> Message:
    """The last message of a channel, as the world has it."""
    return list(sandbox.world.channels[channel_id].messages.values())[-1]


async def test_a_plain_message_is_sent_read_back_and_linked_to(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="Meet at *six*.")

    message = newest(sandbox)
    assert (message.content, message.author_id) == ("Meet at *six*.", demo.BOT)
    nonce = sent.structured.pop("nonce")
    assert sent.structured == {
        "message_id": message.id,
        "channel_id": demo.GENERAL,
        "jump_url": f"https://discord.com/channels/{demo.GUILD}/{demo.GENERAL}/{message.id}",
        "timestamp": message.timestamp,
        "pinged": {"everyone": False, "users": [], "roles": []},
    }
    assert sent.text.startswith(f"Sent message {message.id} to <#{demo.GENERAL}>.\n")
    assert bodies(sandbox) == [
        {"content": "Meet at *six*.", "allowed_mentions": SILENT, "nonce": nonce, "enforce_nonce": True}
    ]


async def test_every_argument_of_a_message_reaches_discord_and_is_stored(sandbox: Sandbox) -> None:
    answered = demo.message_with(sandbox.world, demo.GENERAL, "Meet at six by the old bridge?")
    message = {
        "content": "I am in.",
        "reply_to": answered.id,
        "embeds": [EMBED],
        "components": ROWS,
        "sticker_ids": [demo.WAVE_STICKER],
        "allowed_mentions": {"users": [demo.THEO], "roles": [], "parse": ["roles"], "replied_user": True},
        "flags": 4096,
        "tts": True,
        "nonce": "the-first-try",
    }

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", {"channel_id": demo.GENERAL, **message})

    stored = newest(sandbox)
    (body,) = bodies(sandbox)
    reply_to = message.pop("reply_to")
    assert body == {**message, "message_reference": {"message_id": reply_to}, "enforce_nonce": True}
    assert (stored.content, stored.tts, stored.flags) == ("I am in.", True, 4096)
    assert (stored.embeds[0]["title"], stored.sticker_ids) == ("Saturday night", [demo.WAVE_STICKER])
    assert [row["components"][0]["custom_id"] for row in stored.components] == ["come", "when", "who"]
    assert sent.structured["reply_to"] == answered.id
    assert sent.structured["pinged"] == {"everyone": False, "users": [demo.THEO], "roles": []}
    assert sent.structured["nonce"] == "the-first-try"


async def test_a_poll_needs_no_text(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, poll=POLL)

    assert not sent.failed
    assert bodies(sandbox)[0]["poll"] == POLL
    stored = newest(sandbox).poll
    assert stored is not None
    assert stored["question"] == {"text": "Tea or soup?"}


async def test_a_full_reference_can_outlive_what_it_refers_to(sandbox: Sandbox) -> None:
    reference = {"message_id": MISSING, "channel_id": demo.GENERAL, "fail_if_not_exists": False}

    async with desk(sandbox) as served:
        sent = await served.call(
            "messages_send", channel_id=demo.GENERAL, content="still here", message_reference=reference
        )

    assert not sent.failed
    assert bodies(sandbox)[0]["message_reference"] == reference
    assert "reply_to" not in sent.structured


async def test_a_shared_theme_is_passed_on(sandbox: Sandbox) -> None:
    theme = {"colors": ["1abc9c", "e74c3c"], "gradient_angle": 90, "base_mix": 50, "base_theme": 2}

    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content="Look", shared_client_theme=theme)

    assert bodies(sandbox)[0]["shared_client_theme"] == theme


async def test_a_reply_to_a_message_that_is_gone_says_which_field_is_wrong(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hm", reply_to=MISSING)

    assert sent.code == "VALIDATION_FAILED"
    assert "message_reference" in sent.structured["issues"][0]["path"]
    assert newest(sandbox).content != "hm"


async def test_a_missing_permission_is_told_and_nothing_is_sent(sandbox: Sandbox) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~may.SEND_MESSAGES
    sandbox.world.guilds[demo.GUILD].roles[demo.GUILD].permissions &= ~may.SEND_MESSAGES

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hm")

    assert sent.code == "DISCORD_PERMISSION_DENIED"
    assert newest(sandbox).content != "hm"


async def test_a_message_without_a_body_is_refused_without_a_request(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, tts=True)

    assert sent.code == "VALIDATION_FAILED"
    assert [(one["path"], one["code"]) for one in sent.structured["issues"]] == [("content", "required")]
    assert asked(sandbox) == []


async def test_two_ways_to_say_what_is_replied_to_are_one_too_many(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call(
            "messages_send",
            channel_id=demo.GENERAL,
            content="hm",
            reply_to=MISSING,
            message_reference={"message_id": MISSING},
        )

    assert [(one["path"], one["code"]) for one in sent.structured["issues"]] == [("reply_to", "conflict")]
    assert asked(sandbox) == []


@pytest.mark.parametrize("flags", [1 << 15, 64, 2, -1])
async def test_flags_that_a_new_message_cannot_have_are_refused(sandbox: Sandbox, flags: int) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hm", flags=flags)

    assert [one["path"] for one in sent.structured["issues"]] == ["flags"]
    assert asked(sandbox) == []


# --- Where the guild comes from -------------------------------------------------------------------------------------


async def test_a_channels_guild_is_asked_for_once(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content="one")
        await served.call("messages_send", channel_id=demo.GENERAL, content="two")

    assert asked(sandbox).count(f"GET /channels/{demo.GENERAL}") == 1


async def test_a_message_is_sent_although_its_link_cannot_be_made(sandbox: Sandbox) -> None:
    sandbox.fail("GET /channels/{}", "status", status=404, code=10003, message="Unknown Channel")

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hm")

    assert not sent.failed
    assert (sent.structured["jump_url"], newest(sandbox).content) == (None, "hm")


# --- Lengths --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["a" * 2000, "🐟" * 2000, "é" * 2000], ids=["letters", "emoji", "accents"])
async def test_2000_characters_are_sent_however_many_bytes_they_have(sandbox: Sandbox, content: str) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content=content)

    assert not sent.failed
    assert newest(sandbox).content == content


@pytest.mark.parametrize(
    "content",
    ["a" * 2001, "a" * 6500, "🐟" * 2001, "```py\n" + "x" * 3000 + "\n```"],
    ids=["one too many", "far too many", "emoji", "a fenced block"],
)
@pytest.mark.parametrize("channel_id", [demo.GENERAL, demo.THREAD, demo.BUG_POST], ids=["text", "thread", "post"])
async def test_a_message_above_2000_characters_is_refused(sandbox: Sandbox, content: str, channel_id: str) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=channel_id, content=content)

    assert sent.code == "VALIDATION_FAILED"
    assert sent.structured["issues"] == [
        {
            "path": "content",
            "message": f"must have at most 2000 characters; it has {len(content)}: shorten it or set on_overflow",
            "code": "too_big",
        }
    ]
    assert asked(sandbox) == []


# --- Embeds ---------------------------------------------------------------------------------------------------------


def _long(*lengths: int) -> list[dict[str, Any]]:
    return [{"description": "x" * length} for length in lengths]


@pytest.mark.parametrize(
    ("embeds", "path"),
    [
        (_long(4097), "embeds[0].description"),
        (_long(2000, 2000, 2001), "embeds"),
        ([{"title": "t", "fields": [{"name": "n", "value": "v"}] * 26}], "embeds[0].fields"),
        ([{"title": "t", "fields": [{"name": "n", "value": ""}]}], "embeds[0].fields[0].value"),
        ([{"title": "t", "color": "#FF88"}], "embeds[0].color"),
        ([{"title": "t", "color": "reddish"}], "embeds[0].color"),
        ([{"title": "t", "color": 0xFFFFFF + 1}], "embeds[0].color"),
        ([{"title": "t", "url": "javascript:alert(1)"}], "embeds[0].url"),
        ([{"title": "t", "timestamp": "2026-05-04T18:42:00"}], "embeds[0].timestamp"),
        ([{"title": "t", "timestamp": "tomorrow"}], "embeds[0].timestamp"),
        (_long(*([1] * 11)), "embeds"),
        ([{}], "embeds[0]"),
        ([{"title": "t", "colour": 1}], "embeds[0].colour"),
    ],
)
async def test_an_embed_beyond_discords_limits_is_refused_with_the_path_of_its_part(
    sandbox: Sandbox, embeds: list[dict[str, Any]], path: str
) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, embeds=embeds)

    assert sent.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in sent.structured["issues"]] == [path]
    assert path in sent.text
    assert asked(sandbox) == []


async def test_6000_characters_of_embeds_are_sent(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, embeds=_long(2000, 2000, 2000))

    assert not sent.failed


async def test_discords_tree_of_field_errors_becomes_flat_paths(sandbox: Sandbox) -> None:
    unknown = "1196726786458015999"

    async with desk(sandbox) as served:
        sent = await served.call(
            "messages_send", channel_id=demo.GENERAL, embeds=[{"title": "t", "timestamp": "2026-99-99T99:99:99Z"}]
        )
        sticker = await served.call("messages_send", channel_id=demo.GENERAL, sticker_ids=[unknown])

    assert sent.code == sticker.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in sent.structured["issues"]] == ["embeds[0].timestamp"]


async def test_plain_text_is_never_made_an_embed(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content="https://weather.example")

    assert "embeds" not in bodies(sandbox)[0]


# --- Buttons --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "button",
    [
        {"style": 1, "label": "Go"},
        {"style": 5, "label": "Go"},
        {"style": 5, "label": "Go", "url": "https://weather.example", "custom_id": "go"},
        {"style": 6},
        {"style": 2, "custom_id": "go"},
    ],
    ids=["no id", "no url", "url and id", "no sku", "no face"],
)
async def test_a_button_that_discord_would_refuse_is_refused_before(sandbox: Sandbox, button: dict[str, Any]) -> None:
    row = {"type": 1, "components": [{"type": 2, **button}]}

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hm", components=[row])

    assert [one["path"] for one in sent.structured["issues"]] == ["components[0].components[0]"]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    "menu",
    [
        {"type": 5, "max_values": 0},
        {"type": 5, "max_values": 26},
        {"type": 6, "channel_types": [0]},
        {"type": 8, "channel_types": [99]},
        {"type": 3, "options": []},
        {"type": 4},
    ],
)
async def test_a_menu_that_discord_would_refuse_is_refused_before(sandbox: Sandbox, menu: dict[str, Any]) -> None:
    row = {"type": 1, "components": [{"custom_id": "who", **menu}]}

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hm", components=[row])

    assert sent.code == "VALIDATION_FAILED"
    assert all(one["path"].startswith("components[0].components[0]") for one in sent.structured["issues"])
    assert asked(sandbox) == []


async def test_a_menu_of_channels_can_be_narrowed_to_some_kinds(sandbox: Sandbox) -> None:
    row = {"type": 1, "components": [{"type": 8, "custom_id": "where", "channel_types": [0, 5]}]}

    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content="hm", components=[row])

    assert bodies(sandbox)[0]["components"] == [row]


async def test_a_premium_button_is_whole_with_its_sku_alone(sandbox: Sandbox) -> None:
    row = {"type": 1, "components": [{"type": 2, "style": 6, "sku_id": SKU}]}

    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content="Buy", components=[row])

    assert bodies(sandbox)[0]["components"] == [row]


# --- Kinds of channels ----------------------------------------------------------------------------------------------


@pytest.fixture
def every_kind(sandbox: Sandbox) -> dict[str, str]:
    """Channels that hold messages, by what they are."""
    world = sandbox.world
    world.channels[STAGE_CHANNEL] = Channel(
        STAGE_CHANNEL, STAGE, "stage", demo.GUILD, position=9, settings=settings_at_first(STAGE)
    )
    world.channels[DIRECT] = Channel(DIRECT, 1, recipient_id=demo.MAYA)
    world.channels[demo.ANNOUNCEMENTS].overwrites.clear()
    return {
        "text": demo.GENERAL,
        "announcement": demo.ANNOUNCEMENTS,
        "voice": demo.VOICE,
        "stage": STAGE_CHANNEL,
        "thread": demo.THREAD,
        "forum post": demo.BUG_POST,
        "direct message": DIRECT,
    }


@pytest.mark.parametrize("kind", ["text", "announcement", "voice", "stage", "thread", "forum post", "direct message"])
async def test_messages_are_sent_read_edited_reacted_to_and_deleted_in_every_kind_of_channel(
    sandbox: Sandbox, every_kind: dict[str, str], kind: str
) -> None:
    place = {"channel_id": every_kind[kind]}

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", {**place, "content": "hello"})
        message = {**place, "message_id": sent.structured["message_id"]}
        edited = await served.call("messages_edit", {**message, "content": "hello again"})
        reacted = await served.call("reactions_create", {**message, "emoji": "🐟"})
        read = await served.call("messages_read", place)
        deleted = await served.call("messages_delete", {**message, "__confirm": True})

    newest_read = read.structured["messages"][0]
    assert [one.failed for one in (sent, edited, reacted, read, deleted)] == [False] * 5
    assert (newest_read["content"], newest_read["reactions"][0]["me"]) == ("hello again", True)
    assert message["message_id"] not in sandbox.world.channels[every_kind[kind]].messages


async def test_a_direct_message_has_no_link(sandbox: Sandbox, every_kind: dict[str, str]) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=every_kind["direct message"], content="hello")

    assert sent.structured["jump_url"] is None


async def test_a_recipient_who_takes_no_direct_messages_is_a_refusal(sandbox: Sandbox) -> None:
    sandbox.world.channels[DIRECT] = Channel(DIRECT, 1, recipient_id=demo.OMAR)

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=DIRECT, content="hello")

    assert sent.code == "DISCORD_PERMISSION_DENIED"
    assert only(sandbox, "POST").status == 403


@pytest.mark.parametrize("kind", [4, 15], ids=["category", "forum"])
async def test_whether_a_channel_takes_messages_is_discords_to_decide(sandbox: Sandbox, kind: int) -> None:
    sandbox.world.channels[demo.GENERAL].type = kind

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hello")

    assert sent.failed
    assert sent.structured["category"] == "client"
    assert served.writes == [f"POST /channels/{demo.GENERAL}/messages"]


@pytest.mark.usefixtures("answers_of_the_future")
async def test_a_channel_of_a_kind_that_nobody_knows_yet_is_written_to(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.GENERAL].type = 99

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="hello")

    assert not sent.failed
    assert newest(sandbox).content == "hello"


@pytest.mark.parametrize("color", ["#FF8800", "0xff8800", 0xFF8800, str(0xFF8800)])
async def test_a_colour_may_be_written_as_people_do(sandbox: Sandbox, color: str | int) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, embeds=[{"title": "t", "color": color}])

    assert not sent.failed
    assert bodies(sandbox)[0]["embeds"] == [{"title": "t", "color": 0xFF8800}]
