"""Ids and keys: what is one, what is not, and what people paste for one."""

from __future__ import annotations

import pytest

from accord.discord.models import ids
from accord.discord.models.ids import (
    AuditLogPlace,
    ChannelId,
    EmojiId,
    GuildId,
    InviteCode,
    MessageId,
    MessagePlace,
    RoleId,
    Snowflake,
    SoundboardSoundId,
    TemplateCode,
    UserId,
    WebhookToken,
)

ID = "1196396359190498827"
KINDS = [getattr(ids, name) for name in ids.__all__]
SNOWFLAKES = [
    kind
    for kind in KINDS
    if isinstance(kind, type)
    and issubclass(kind, Snowflake)
    and kind not in {SoundboardSoundId, MessagePlace, AuditLogPlace}
]


@pytest.mark.parametrize("kind", SNOWFLAKES)
@pytest.mark.parametrize("digits", ["1" * 17, "9" * 20, "00000000000000001"])
def test_an_id_has_17_to_20_digits_and_stays_as_it_was_written(kind: type[Snowflake], digits: str) -> None:
    parsed = kind.parse(digits)

    assert (parsed, type(parsed)) == (digits, kind)


@pytest.mark.parametrize("kind", SNOWFLAKES)
@pytest.mark.parametrize(
    "wrong", ["", "1" * 16, "1" * 21, f"{ID} ", f"{ID}\n", "-" + ID, "٣" * 18, int(ID), None, True, [ID]]
)
def test_anything_else_is_no_id(kind: type[Snowflake], wrong: object) -> None:
    with pytest.raises(ValueError, match="must be an id of 17 to 20 digits as a string"):
        kind.parse(wrong)


@pytest.mark.parametrize(
    ("kind", "pasted"),
    [
        (ChannelId, f"<#{ID}>"),
        (UserId, f"<@{ID}>"),
        (UserId, f"<@!{ID}>"),
        (RoleId, f"<@&{ID}>"),
        (EmojiId, f"<:blob:{ID}>"),
        (EmojiId, f"<a:blob:{ID}>"),
        (MessageId, f"https://discord.com/channels/1196393339292667620/1196396359190498827/{ID}"),
        (MessageId, f"https://ptb.discord.com/channels/@me/1196396359190498827/{ID}"),
    ],
)
def test_a_mention_of_the_kind_is_unwrapped(kind: type[Snowflake], pasted: str) -> None:
    assert kind.unwrap(pasted) == ID


@pytest.mark.parametrize(
    ("kind", "pasted"),
    [
        (ChannelId, f"<@{ID}>"),
        (UserId, f"<@&{ID}>"),
        (RoleId, f"<@{ID}>"),
        (GuildId, f"<#{ID}>"),
        (MessageId, f"<#{ID}>"),
        (ChannelId, f"see <#{ID}>"),
        (ChannelId, "<#1>"),
    ],
)
def test_a_mention_of_another_kind_stays_what_it_is(kind: type[Snowflake], pasted: str) -> None:
    assert kind.unwrap(pasted) == pasted


def test_discords_own_sounds_have_short_ids() -> None:
    assert SoundboardSoundId.parse("1") == "1"


@pytest.mark.parametrize("wrong", ["", "1" * 21, "one"])
def test_a_sound_has_an_id_of_digits(wrong: str) -> None:
    with pytest.raises(ValueError, match="must be an id of digits"):
        SoundboardSoundId.parse(wrong)


@pytest.mark.parametrize("code", ["a", "lantern-workshop", "Z9" * 16])
def test_an_invite_code_has_letters_digits_and_hyphens(code: str) -> None:
    assert InviteCode.parse(code) == code


@pytest.mark.parametrize("wrong", ["", "a" * 33, "discord.gg/abc", "a b", "../users"])
def test_an_invites_address_is_no_code(wrong: str) -> None:
    with pytest.raises(ValueError, match="must be an invite code"):
        InviteCode.parse(wrong)


@pytest.mark.parametrize("length", [60, 68, 100])
def test_a_webhooks_token_is_kept_secret(length: int) -> None:
    token = WebhookToken.parse("t" * length)

    assert token.reveal() == "t" * length
    assert "ttt" not in f"{token} {token!r}"


@pytest.mark.parametrize("length", [59, 101])
def test_a_token_of_the_wrong_length_is_refused_without_being_repeated(length: int) -> None:
    with pytest.raises(ValueError, match="must be a webhook token of 60 to 100") as refused:
        WebhookToken.parse("t" * length)

    assert "ttt" not in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "pasted"),
    [
        (InviteCode, "https://discord.gg/abc-D"),
        (InviteCode, "discord.com/invite/abc-D"),
        (TemplateCode, "https://discord.new/abc-D"),
        (TemplateCode, "https://discord.com/template/abc-D/"),
    ],
)
def test_the_address_of_an_invite_or_a_template_is_unwrapped(kind: type[InviteCode], pasted: str) -> None:
    assert kind.unwrap(pasted) == "abc-D"


@pytest.mark.parametrize(
    ("moment", "place"),
    [
        ("2024-01-15", "1196242344345600000"),
        ("2024-01-15T12:00:00Z", "1196423538278400000"),
        ("2024-01-15T13:00:00+01:00", "1196423538278400000"),
        ("2024-01-15 12:00", "1196423538278400000"),
        (ID, ID),
        ("2014-01-01", "2014-01-01"),
        ("2024-13-45", "2024-13-45"),
        ("tomorrow", "tomorrow"),
    ],
)
def test_a_date_is_a_place_in_a_history(moment: str, place: str) -> None:
    assert MessagePlace.unwrap(moment) == place
