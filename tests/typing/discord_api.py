"""The public API of `accord.discord` as its users write it: checked by mypy --strict, never run.

A line with an expected error carries an ignore of exactly that error; since unused ignores are errors, it fails the
check on the day when the mistake is no longer seen.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, NotRequired, TypedDict, assert_type

import structlog
from mcp.server.lowlevel import Server

from accord.discord import (
    RESOURCES,
    TOOLSETS,
    ApplicationId,
    AttachmentId,
    AutoModRuleId,
    BuildServerResult,
    BulkheadFullError,
    BulkheadRejected,
    CancelledError,
    ChannelId,
    CircuitBroken,
    CircuitOpenError,
    Config,
    ConfigError,
    Discord,
    DiscordAuthError,
    DiscordClientError,
    DiscordCloudflareBlocked,
    DiscordError,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordRateLimitError,
    DiscordRetryableError,
    DiscordServerError,
    DryRunPreview,
    EmojiId,
    EntitlementId,
    FormatErrorContext,
    GuildId,
    GuildNotAllowedError,
    IntegrationId,
    InteractionId,
    InternalError,
    InviteCode,
    MessageId,
    Policy,
    RoleId,
    ScheduledEventId,
    ScopeRejectedError,
    SkuId,
    Snowflake,
    SoundboardSoundId,
    StageInstanceId,
    StickerId,
    SubscriptionId,
    ToolAnnotations,
    ToolMetadata,
    UserId,
    ValidationError,
    WebhookId,
    WebhookToken,
    WrapResilienceOptions,
    build_policy,
    build_rest,
    build_server,
    classify_discord_error,
    define_tool,
    format_error_for_user,
    load_config,
    metadata_of,
    wrap_rest_with_resilience,
)
from accord.engine import (
    AuditSink,
    Calls,
    Context,
    Effect,
    Field,
    Reply,
    Resource,
    State,
    Subscriptions,
    Tool,
    Toolset,
    Untrusted,
    configure_logs,
    connect,
    run_stdio,
)

# --- Tools ----------------------------------------------------------------------------------------------------------


class Question(TypedDict):
    """What is asked about a channel."""

    channel_id: ChannelId
    detail: NotRequired[Annotated[Literal["short", "long"], Field(description="How much to tell")]]


class Description(TypedDict):
    """What is told of it."""

    summary: Untrusted


async def describe(args: dict[str, Any], ctx: Context) -> Description:
    """Use everything that a context offers."""
    assert_type(ctx.cancelled, bool)
    assert_type(ctx.sampling_supported, bool)
    reply = assert_type(await ctx.reply("channels_get", {"channel_id": args["channel_id"]}), Reply)
    await ctx.progress(1, 2, "halfway")
    answer = await ctx.request_sampling({"messages": [], "maxTokens": 100})
    channel = await ctx.invoke("channels_get", {"channel_id": args["channel_id"]})
    return {"summary": f"#{channel['name']}: {answer or reply.text}"}


ANNOTATIONS: ToolAnnotations = {"readOnly": True, "destructive": False, "idempotent": True, "openWorld": False}

channel_describe = define_tool(
    name="channel_describe",
    description="Read a channel and return a one-line summary.",
    category="channels",
    preconditions=["category_enabled"],
    scopes=["channels:read"],
    input_schema=Question,
    output_schema=Description,
    annotations=ANNOTATIONS,
    idempotent=True,
    handler=describe,
)


async def count(args: dict[str, Any], ctx: Context) -> dict[str, int]:
    """Count the names."""
    return {"count": len(args.get("names", ()))}


names_count = define_tool(
    name="names_count",
    description="Count names.",
    input_schema={"names?": list[str]},
    output_schema={"count": int},
    handler=count,
)


def read_metadata(tool: Tool) -> None:
    """Read what is known of a tool without running it."""
    metadata = assert_type(metadata_of(tool), ToolMetadata)
    assert_type(metadata.name, str)
    assert_type(metadata.preconditions, tuple[str, ...])
    assert_type(metadata.idempotent, bool)
    metadata.name = "other"  # type: ignore[misc] # frozen


async def takes_no_context(args: dict[str, Any]) -> None:
    """Miss a parameter."""


def mistakes_in_a_definition() -> None:
    """Make the mistakes that an editor should show."""
    define_tool(name="a", description="A.", input_schema={})  # type: ignore[call-arg] # no handler
    define_tool(name="a", description="A.", input_schema={}, handler=takes_no_context)  # type: ignore[arg-type]
    define_tool(name="a", description="A.", input_schema={}, handler=count, colour="red")  # type: ignore[call-arg]
    misspelt: ToolAnnotations = {"readonly": True}  # type: ignore[typeddict-unknown-key]
    define_tool(name="a", description="A.", input_schema={}, handler=count, annotations=misspelt)


tools = Toolset("greetings", fence="untrusted_discord")


class Posted(TypedDict):
    """What is read of a message."""

    id: str


@tools.tool(Effect.CREATE, say="Greeted with {id}.")
async def greetings_send(discord: Discord, context: Context, channel_id: ChannelId, words: str = "Hello!") -> Posted:
    """Send a greeting."""
    return await discord.post("/channels/{}/messages", channel_id, into=Posted, body={"content": words})


async def requests(discord: Discord, channel_id: ChannelId) -> None:
    """Make a request of each kind."""
    assert_type(await discord.get("/channels/{}/messages", channel_id, into=list[Posted]), list[Posted])
    assert_type(await discord.get("/channels/{}", channel_id, into=Posted, query={"limit": 1}), Posted)
    await discord.do("DELETE", "/channels/{}", channel_id, reason="Spring cleaning")
    await discord.post("/channels/{}/messages", channel_id, into=Posted, boddy={})  # type: ignore[call-arg]


# --- A server -------------------------------------------------------------------------------------------------------


def configuration() -> Config:
    """Read the environment, or another."""
    try:
        config = assert_type(load_config(), Config)
    except ConfigError as error:
        raise SystemExit(str(error)) from error
    load_config({"DISCORD_TOKEN": "…"})
    assert_type(config.MCP_RETRY_ENABLED, bool)
    assert_type(config.MCP_BULKHEAD_LIMIT, int)
    assert_type(config.MCP_CIRCUIT_HALF_OPEN_AFTER_MS, int)
    return config


async def serve() -> None:
    """Build a server and run it on stdio, as the contract's page does."""
    config = configuration()
    configure_logs(config.LOG_LEVEL)
    rest = assert_type(build_rest(config), Discord)
    built = build_server(
        rest=rest,
        logger=structlog.get_logger("own"),
        config=config,
        toolsets=[*TOOLSETS, tools, [channel_describe, names_count]],
        resources=[*RESOURCES, Resource(uri="own://rules", name="rules", description="House rules.", read=rules)],
        transport="stdio",
    )
    try:
        await run_stdio(built.server)
    finally:
        await built.audit_sink.close()
        await built.state.close()
        await rest.aclose()


async def rules() -> str:
    """Return what a resource holds now."""
    return "be kind"


async def look_at(built: BuildServerResult) -> None:
    """Use everything that a built server has."""
    assert_type(built.server, Server[Any])
    assert_type(built.registered_tools, list[str])
    assert_type(built.registered_preconditions, list[str])
    assert_type(built.notify_resource, Callable[[str], Awaitable[None]])
    assert_type(built.subscriptions, Subscriptions)
    assert_type(built.audit_sink, AuditSink)
    assert_type(built.calls, Calls)
    assert_type(built.state, State)
    await built.notify_resource("discord://guild/1/info")
    async with connect(built.server) as client:
        await client.call_tool("channel_describe", {"channel_id": "111122223333444455"})


def mistakes_in_a_server(config: Config, rest: Discord) -> None:
    """Make the mistakes that an editor should show."""
    build_server(rest=rest, config=config, logger=logging.getLogger())  # type: ignore[arg-type] # takes no facts
    build_server(rest=rest)  # type: ignore[call-arg] # no config
    build_server(rest=rest, config=config, transport="carrier pigeon")  # type: ignore[arg-type]
    Resource(uri="own://rules", name="rules", description="House rules.", read="be kind")  # type: ignore[arg-type]
    build_server(rest=rest, config=config, toolsets=[channel_describe])  # type: ignore[list-item] # a tool is no toolset


# --- Resilience -----------------------------------------------------------------------------------------------------


class OwnRest:
    """A client of another make."""

    async def get(self, path: str) -> bytes:
        """Get a path."""
        return path.encode()


def wrap(config: Config, rest: OwnRest) -> None:
    """Wrap it in each of the ways."""
    policy = assert_type(build_policy(config), Policy)
    assert_type(wrap_rest_with_resilience(rest, policy), OwnRest)
    wrap_rest_with_resilience(rest, policy, classify_discord_error)
    options = WrapResilienceOptions(
        classifier=classify_discord_error, circuit_half_open_after_ms=config.MCP_CIRCUIT_HALF_OPEN_AFTER_MS
    )
    wrap_rest_with_resilience(rest, policy, options)
    wrap_rest_with_resilience(rest, None)  # type: ignore[arg-type]
    assert_type(classify_discord_error(TimeoutError()), DiscordRetryableError | None)


# --- Errors ---------------------------------------------------------------------------------------------------------


def formatted(error: BaseException) -> dict[str, Any]:
    """Format anything that was thrown."""
    FormatErrorContext(tool_name="messages_send", transport="pigeon")  # type: ignore[arg-type]
    return format_error_for_user(error, FormatErrorContext(tool_name="messages_send", transport="stdio"))


def all_errors() -> list[DiscordError]:
    """Make one of each class."""
    return [
        DiscordRetryableError(original=TimeoutError(), retry_after_ms=10),
        CircuitOpenError(retry_after_ms=1000),
        BulkheadFullError(),
        DiscordPermissionError(
            resource="channels/123",
            missing=["SEND_MESSAGES"],
            have=["VIEW_CHANNEL"],
            recovery_hint="grant SEND_MESSAGES to the bot",
        ),
        DiscordRateLimitError(retry_after_ms=1500, bucket="abcd", scope="user"),
        DiscordNotFoundError(resource_type="channel", id="1"),
        DiscordAuthError(),
        DiscordCloudflareBlocked(retry_after_ms=1000),
        DiscordServerError(),
        ValidationError(issues=[{"path": "limit", "message": "is too large", "code": "too_big"}]),
        ScopeRejectedError(tool="messages_send", required="messages", granted=["guild"]),
        GuildNotAllowedError(guild_id="1"),
        DryRunPreview(tool="messages_delete", preview={}),
        CancelledError(),
        InternalError(reason="timeout", timeout_ms=30_000),
    ]


def mistakes_in_errors() -> None:
    """Make the mistakes that an editor should show."""
    DiscordRateLimitError(retry_after="soon")  # type: ignore[call-arg]
    DiscordRateLimitError(scope="galaxy")  # type: ignore[arg-type]
    DryRunPreview(tool="messages_delete")  # type: ignore[call-arg] # no preview


async def recovering(discord: Discord, channel_id: ChannelId) -> float | None:
    """Tell failures apart as a caller does."""
    try:
        await requests(discord, channel_id)
    except (DiscordRateLimitError, CircuitOpenError) as error:
        return error.retry_after_ms / 1000 if error.retry_after_ms is not None else None
    except DiscordServerError as error:
        assert_type(error.retriable, bool)
    except DiscordClientError as error:
        assert_type(error.next_step, str)
    except CircuitBroken as error:
        assert_type(error.retry_after_ms, int)
    except BulkheadRejected:
        await asyncio.sleep(1)
    return None


# --- Ids ------------------------------------------------------------------------------------------------------------


def load_message(channel: ChannelId, message: str) -> MessageId:
    """Check a plain string, as the contract's page does."""
    return MessageId.parse(message)


def mistakes_with_ids(
    channel: ChannelId, message: MessageId, user: UserId, guild: GuildId, token: WebhookToken
) -> None:
    """Pass an id of one kind for another."""
    load_message(message, "1")  # type: ignore[arg-type]
    load_message("1", "1")  # type: ignore[arg-type]
    wanted: ChannelId = MessageId.parse("1")  # type: ignore[assignment]
    plain: str = channel
    secret: str = token  # type: ignore[assignment]
    kinds: list[Snowflake] = [wanted, user, guild]
    every_kind(plain + secret + kinds[0])


def every_kind(text: str) -> list[Snowflake | InviteCode | WebhookToken]:
    """Parse every kind."""
    return [
        assert_type(Snowflake.parse(text), Snowflake),
        assert_type(ChannelId.parse(text), ChannelId),
        assert_type(GuildId.parse(text), GuildId),
        assert_type(MessageId.parse(text), MessageId),
        assert_type(UserId.parse(text), UserId),
        assert_type(RoleId.parse(text), RoleId),
        assert_type(ApplicationId.parse(text), ApplicationId),
        assert_type(AttachmentId.parse(text), AttachmentId),
        assert_type(WebhookId.parse(text), WebhookId),
        assert_type(EmojiId.parse(text), EmojiId),
        assert_type(StickerId.parse(text), StickerId),
        assert_type(ScheduledEventId.parse(text), ScheduledEventId),
        assert_type(EntitlementId.parse(text), EntitlementId),
        assert_type(SkuId.parse(text), SkuId),
        assert_type(SubscriptionId.parse(text), SubscriptionId),
        assert_type(IntegrationId.parse(text), IntegrationId),
        assert_type(AutoModRuleId.parse(text), AutoModRuleId),
        assert_type(StageInstanceId.parse(text), StageInstanceId),
        assert_type(SoundboardSoundId.parse(text), SoundboardSoundId),
        assert_type(InteractionId.parse(text), InteractionId),
        assert_type(InviteCode.parse(text), InviteCode),
        assert_type(WebhookToken.parse(text), WebhookToken),
    ]
