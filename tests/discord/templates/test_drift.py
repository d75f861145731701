"""How a guild is held against its template, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from accord.discord.templates.drift import drift_of

EVERYONE = "100"


def template(
    *channels: dict[str, Any], roles: list[dict[str, Any]] | None = None, is_dirty: bool | None = None
) -> dict[str, Any]:
    return {
        "is_dirty": is_dirty,
        "serialized_source_guild": {"roles": roles or [role(0, "@everyone")], "channels": list(channels)},
    }


def role(role_id: int | str, name: str, **more: Any) -> dict[str, Any]:
    return {"id": role_id, "name": name, "permissions": "0", "color": 0, "hoist": False, "mentionable": False, **more}


def channel(channel_id: int | str, name: str, kind: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": channel_id, "name": name, "type": kind, "parent_id": None, "permission_overwrites": [], **more}


def overwrite(target: int | str, allow: int, deny: int = 0, kind: int = 0) -> dict[str, Any]:
    return {"id": str(target), "type": kind, "allow": str(allow), "deny": str(deny)}


def of_channels(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Any:
    return drift_of(template(*before), after, [role(EVERYONE, "@everyone")])["channels"]


@pytest.mark.parametrize(
    ("before", "after"),
    [("general", "General"), ("\uff47eneral", "general"), ("Café", "Cafe\u0301"), ("general ", "general")],
)
def test_names_count_as_people_read_them(before: str, after: str) -> None:
    assert of_channels([channel(1, before)], [channel("9", after)])["count"] == 0


def test_a_channel_of_another_kind_is_another_channel() -> None:
    apart = of_channels([channel(1, "talk", 0)], [channel("9", "talk", 2)])

    assert (apart["only_in_template"], apart["only_in_guild"]) == (["talk"], ["talk"])


@pytest.mark.parametrize(("kind", "stand_in"), [(5, 0), (13, 2)])
def test_kinds_that_no_template_holds_are_passed_over_with_what_stands_in_for_them(kind: int, stand_in: int) -> None:
    after = [channel("9", "news", kind)]

    assert of_channels([], after)["count"] == 0
    assert of_channels([channel(1, "news", stand_in)], after)["count"] == 0


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        ({"bitrate": 64_000}, {}, False),
        ({"topic": None}, {"topic": ""}, False),
        ({"nsfw": False}, {"nsfw": True}, True),
        ({"available_tags": [{"id": None, "name": "x"}]}, {"available_tags": [{"id": "7", "name": "x"}]}, False),
        ({"available_tags": None}, {"available_tags": [{"id": "7", "name": "x"}]}, True),
    ],
)
def test_a_setting_is_compared_where_both_have_it(before: Any, after: Any, differs: bool) -> None:
    apart = of_channels([channel(1, "x", **before)], [channel("9", "x", **after)])

    assert bool(apart["changed"]) == differs


def test_of_several_channels_of_one_name_the_likest_are_matched() -> None:
    before = [channel(1, "log", topic="a"), channel(2, "log", topic="b")]
    after = [channel("9", "log", topic="b"), channel("8", "log", topic="c")]

    apart = of_channels(before, after)

    assert apart["changed"] == [{"name": "log", "fields": ["topic"]}]
    assert apart["count"] == 1


def test_a_parent_is_the_same_by_its_name() -> None:
    before = [channel(1, "Shop", 4), channel(2, "till", parent_id="1")]
    after = [channel("9", "shop", 4), channel("8", "till", parent_id="9")]

    assert of_channels(before, after)["count"] == 0


def test_overwrites_are_told_by_roles_of_which_there_is_one_on_both_sides() -> None:
    roles_before = [role(0, "@everyone"), role(1, "Staff"), role(2, "Twin"), role(3, "Twin")]
    roles_after = [role("100", "@everyone"), role("101", "staff"), role("102", "Twin"), role("103", "Twin")]
    same = [channel(1, "x", permission_overwrites=[overwrite(0, 0, 1024), overwrite(1, 1024), overwrite(2, 1)])]
    now = [overwrite("100", 0, 1024), overwrite("101", 1024), overwrite("103", 4), overwrite("77", 8, kind=1)]

    equal = drift_of(template(*same, roles=roles_before), [channel("9", "x", permission_overwrites=now)], roles_after)
    fewer = drift_of(
        template(*same, roles=roles_before), [channel("9", "x", permission_overwrites=now[:1])], roles_after
    )

    assert equal["channels"]["count"] == 0
    assert fewer["channels"]["changed"] == [{"name": "x", "fields": ["permission_overwrites"]}]


def test_managed_roles_are_passed_over() -> None:
    roles = [role(EVERYONE, "@everyone"), role("101", "Bot", managed=True)]

    assert drift_of(template(), [], roles)["roles"]["count"] == 0


def test_a_template_that_discord_calls_dirty_is_to_be_synced_though_nothing_here_differs() -> None:
    drift = drift_of(template(is_dirty=True), [], [role(EVERYONE, "@everyone")])

    assert drift["sync_recommended"] is True
    assert drift["roles"]["count"] == drift["channels"]["count"] == 0


def test_of_many_differences_all_are_counted_and_25_are_named() -> None:
    apart = of_channels([], [channel(str(number), f"channel-{number}") for number in range(40)])

    assert (apart["count"], len(apart["only_in_guild"])) == (40, 25)
