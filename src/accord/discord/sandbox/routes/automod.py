"""A guild's auto moderation rules. They are kept and shown, and moderate nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, integer, listed, one_of, read, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.forms import Check
    from accord.discord.sandbox.world import Guild, JsonObject

KEYWORD, SPAM, PRESETS, MENTIONS, PROFILE = 1, 3, 4, 5, 6
MOST_RULES = {KEYWORD: 6, SPAM: 1, PRESETS: 1, MENTIONS: 1, PROFILE: 1}
ALERT, TIMEOUT = 2, 3


def _phrases(most: int, *, longest: int = 60) -> Check:
    return listed(text(longest, least=1), most=most)


_words = form(
    {"keyword_filter": _phrases(1000), "regex_patterns": _phrases(10, longest=260), "allow_list": _phrases(100)}
)
_triggers: dict[int, Check] = {
    KEYWORD: _words,
    SPAM: form({}),
    PRESETS: form({"presets": listed(one_of(1, 2, 3), most=3), "allow_list": _phrases(1000)}),
    MENTIONS: form({"mention_total_limit": integer(0, 50), "mention_raid_protection_enabled": truth}),
    PROFILE: _words,
}
_NO_WORDS: JsonObject = {"keyword_filter": [], "regex_patterns": [], "allow_list": []}
_BLANKS: dict[int, JsonObject] = {
    KEYWORD: _NO_WORDS,
    SPAM: {},
    PRESETS: {"presets": [], "allow_list": []},
    MENTIONS: {"mention_total_limit": 0, "mention_raid_protection_enabled": False},
    PROFILE: _NO_WORDS,
}
_metadata: dict[int, Check] = {
    1: form({"custom_message": text(150)}),
    ALERT: form({"channel_id": snowflake}, required=("channel_id",)),
    TIMEOUT: form({"duration_seconds": integer(0, 2_419_200)}, required=("duration_seconds",)),
    4: form({}),
}


def _action(value: Any, complaints: Complaints) -> JsonObject:
    """An action whose metadata is that of its type."""
    row: JsonObject = form({"type": one_of(*_metadata)}, required=("type",))(value, complaints)
    kind = row.get("type") or 1
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return {"type": kind, "metadata": _metadata[kind](metadata or {}, complaints.at("metadata"))}


_fields: dict[str, Check] = {
    "name": text(100, least=1),
    "event_type": one_of(1, 2),
    "trigger_type": one_of(*MOST_RULES),
    "actions": listed(_action, least=1, most=5),
    "enabled": truth,
    "exempt_roles": listed(snowflake, most=20),
    "exempt_channels": listed(snowflake, most=50),
}
_new = form(_fields, required=("name", "event_type", "trigger_type"))
_changes = form(_fields)


def list_rules(call: Call, guild_id: str) -> list[JsonObject | None]:
    """All of a guild's rules."""
    return list(_guild(call, guild_id).automod_rules.values())


def get_rule(call: Call, guild_id: str, rule_id: str) -> JsonObject:
    """One rule."""
    return _rule(_guild(call, guild_id), rule_id)


def create_rule(call: Call, guild_id: str) -> JsonObject:
    """A new rule; it is off unless it says otherwise."""
    guild = _guild(call, guild_id)
    given: JsonObject = read(_new, call.body)
    _check_room(guild, given["trigger_type"])
    rule = {"id": call.world.new_id(), "guild_id": guild.id, "creator_id": call.world.me.id, **_DEFAULTS}
    rule |= _checked(call, guild, given, given["trigger_type"])
    rule.setdefault("trigger_metadata", _BLANKS[rule["trigger_type"]])
    guild.automod_rules[rule["id"]] = rule
    call.record(guild, Deed.AUTOMOD_RULE_CREATE, rule["id"], changes=changes_between({}, rule))
    return rule


_DEFAULTS: JsonObject = {"enabled": False, "exempt_roles": [], "exempt_channels": [], "actions": []}


def update_rule(call: Call, guild_id: str, rule_id: str) -> JsonObject:
    """Change a rule, never its type; what is given of its trigger replaces all of that."""
    guild = _guild(call, guild_id)
    rule = _rule(guild, rule_id)
    before = dict(rule)
    rule |= _checked(call, guild, read(_changes, call.body), rule["trigger_type"]) | {
        "trigger_type": rule["trigger_type"]
    }
    call.record(guild, Deed.AUTOMOD_RULE_UPDATE, rule_id, changes=changes_between(before, rule))
    return rule


def delete_rule(call: Call, guild_id: str, rule_id: str) -> None:
    """Delete a rule."""
    guild = _guild(call, guild_id)
    gone = _rule(guild, rule_id)
    del guild.automod_rules[rule_id]
    call.record(guild, Deed.AUTOMOD_RULE_DELETE, rule_id, changes=changes_between(gone, {}))


def _guild(call: Call, guild_id: str) -> Guild:
    return access.guild(call.world, guild_id, permissions.MANAGE_GUILD)


def _rule(guild: Guild, rule_id: str) -> JsonObject:
    if rule_id not in guild.automod_rules:
        raise Refused(codes.NOT_FOUND)
    return guild.automod_rules[rule_id]


def _check_room(guild: Guild, trigger_type: int) -> None:
    there = [one for one in guild.automod_rules.values() if one["trigger_type"] == trigger_type]
    if len(there) >= MOST_RULES[trigger_type]:
        complaints = Complaints()
        complaints.say(
            "AUTO_MODERATION_MAX_RULES_OF_TYPE_EXCEEDED", "The maximum number of rules of this type exists already."
        )
        complaints.settle()


def _checked(call: Call, guild: Guild, given: JsonObject, trigger_type: int) -> JsonObject:
    """The fields that were given, the trigger's among them; raises Refused for actions that cannot be."""
    fields = {name: value for name, value in given.items() if value is not None}
    trigger = call.body.get("trigger_metadata")
    if trigger is not None:
        checked = read(form({"trigger_metadata": _triggers[trigger_type]}), {"trigger_metadata": trigger})
        fields["trigger_metadata"] = _BLANKS[trigger_type] | checked["trigger_metadata"]
    for action in fields.get("actions", ()):
        _check_action(call, guild, action, trigger_type)
    return fields


def _check_action(call: Call, guild: Guild, action: JsonObject, trigger_type: int) -> None:
    if action["type"] == ALERT:
        access.channel(call.world, action["metadata"]["channel_id"])
    if action["type"] == TIMEOUT:
        access.guild(call.world, guild.id, permissions.MODERATE_MEMBERS)
        if trigger_type not in {KEYWORD, MENTIONS}:
            complaints = Complaints()
            complaints.at("actions").say("AUTO_MODERATION_INVALID_ACTION_TYPE", "Invalid action for this trigger.")
            complaints.settle()


_ALL = "/guilds/{guild_id}/auto-moderation/rules"
ROUTES = (
    Route("GET", _ALL, list_rules),
    Route("POST", _ALL, create_rule),
    Route("GET", f"{_ALL}/{{rule_id}}", get_rule),
    Route("PATCH", f"{_ALL}/{{rule_id}}", update_rule),
    Route("DELETE", f"{_ALL}/{{rule_id}}", delete_rule),
)
