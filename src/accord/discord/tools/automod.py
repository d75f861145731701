"""automod: rules by which Discord itself moderates."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.models.automod import (
    AutoModRule,
    AutoModRuleDeleted,
    AutoModRules,
    NewRule,
    RuleChanges,
    actions_are_whole,
    metadata_of_changed,
    metadata_of_new,
)
from accord.discord.models.ids import AutoModRuleId, GuildId
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.automod import rule, rules, trigger_after
from accord.discord.rules import changes, once_each
from accord.engine import Effect, Toolset

tools = Toolset("automod", fence="untrusted_discord")

READING = needs("MANAGE_GUILD")
WRITING = needs("MANAGE_GUILD", when={"an action of type 3, a time-out": "MODERATE_MEMBERS"})
EXEMPT_ONCE = once_each("exempt_roles", "exempt_channels")


@tools.tool(Effect.READ, say="Auto moderation rules: {count}.", facts=READING)
async def automod_list_rules(discord: Discord, guild_id: GuildId) -> AutoModRules:
    """List a guild's auto moderation rules, without the words they look for; automod_get_rule has those."""
    return rules(await discord.get("/guilds/{}/auto-moderation/rules", guild_id, into=list[Wire | None]))


@tools.tool(Effect.READ, say="Auto moderation rule {id}.", facts=READING)
async def automod_get_rule(discord: Discord, guild_id: GuildId, rule_id: AutoModRuleId) -> AutoModRule:
    """Fetch one auto moderation rule: trigger, actions, exemptions."""
    return rule(await discord.get("/guilds/{}/auto-moderation/rules/{}", guild_id, rule_id, into=Wire))


@tools.tool(
    Effect.CREATE,
    say="Created auto moderation rule {id}.",
    checks=(metadata_of_new, actions_are_whole, EXEMPT_ONCE),
    facts=WRITING,
)
async def automod_create_rule(discord: Discord, guild_id: GuildId, **new: Unpack[NewRule]) -> AutoModRule:
    """Create an auto moderation rule. A guild can have 6 for keywords and one of each other trigger."""
    body, reason = given(new)
    return rule(await discord.post("/guilds/{}/auto-moderation/rules", guild_id, into=Wire, body=body, reason=reason))


@tools.tool(
    Effect.UPDATE,
    say="Changed auto moderation rule {id}.",
    checks=(changes("guild_id", "rule_id"), metadata_of_changed, actions_are_whole, EXEMPT_ONCE),
    facts=WRITING,
)
async def automod_modify_rule(
    discord: Discord, guild_id: GuildId, rule_id: AutoModRuleId, **new: Unpack[RuleChanges]
) -> AutoModRule:
    """Change an auto moderation rule. What is left out stays; actions and lists are replaced as a whole."""
    body, reason = changed(new, {"exempt_roles": [], "exempt_channels": []})
    if "trigger_metadata" in body:
        before = await discord.get("/guilds/{}/auto-moderation/rules/{}", guild_id, rule_id, into=Wire)
        body["trigger_metadata"] = trigger_after(before, body)
    sent = await discord.patch(
        "/guilds/{}/auto-moderation/rules/{}", guild_id, rule_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return rule(sent)


@tools.tool(Effect.DELETE, say="Deleted auto moderation rule {rule_id}.", facts=READING)
async def automod_delete_rule(
    discord: Discord, guild_id: GuildId, rule_id: AutoModRuleId, audit_reason: AuditReason | None = None
) -> AutoModRuleDeleted:
    """Delete an auto moderation rule for good."""
    await discord.do("DELETE", "/guilds/{}/auto-moderation/rules/{}", guild_id, rule_id, reason=audit_reason)
    return {"deleted": True, "rule_id": rule_id, "guild_id": guild_id}
