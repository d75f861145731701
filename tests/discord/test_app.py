"""The composition root: what `build_server` puts together, seen through the official client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from mcp import MCPError
from mcp.types import ResourceUpdatedNotification
from tests.served import Era, desk, environment

from accord.discord import (
    TOOLSETS,
    BuildServerResult,
    ChannelId,
    Config,
    ConfigError,
    Discord,
    GuildId,
    build_rest,
    build_server,
    define_tool,
    load_config,
)
from accord.discord.app import own_tools
from accord.discord.sandbox import Sandbox, demo
from accord.engine import AuditSink, Context, Effect, Record, Resource, StderrAudit, Tool, Toolset, connect, open_state

if TYPE_CHECKING:
    from mcp import Client

both_eras = pytest.mark.parametrize("era", ["2025", "2026"])
ALL_NAMES = [tool.name for toolset in TOOLSETS for tool in toolset]
MESSAGE = {"channel_id": demo.GENERAL, "content": "Hello."}
BELL, GONG = "bell://door", "bell://gong"


async def rings() -> str:
    return "it rings"


BELLS = [Resource(uri=uri, name=uri, description="A bell.", read=rings, mime_type="text/plain") for uri in (BELL, GONG)]


class Rung(TypedDict):
    """What a bell was rung with."""

    times: int


@dataclass
class Bell:
    """A client that is no Discord: it counts its rings."""

    rings: int = 0

    async def ring(self) -> int:
        self.rings += 1
        return self.rings


bells = Toolset("bells")


@bells.tool(Effect.CREATE)
async def bells_ring(bell: Bell) -> Rung:
    """Ring the bell."""
    return {"times": await bell.ring()}


@bells.tool(Effect.READ)
async def bells_of_guild(bell: Bell, guild_id: GuildId) -> Rung:
    """Tell how often the bell of a guild rang."""
    return {"times": int(guild_id[-1:])}


@bells.tool(Effect.DELETE)
async def bells_melt(bell: Bell, guild_id: GuildId) -> Rung:
    """Melt the bell of a guild."""
    return {"times": 0}


@dataclass
class Records:
    """An audit sink that keeps its records and knows whether it was closed."""

    kept: list[Record] = field(default_factory=list)
    closed: bool = False

    def __len__(self) -> int:
        return len(self.kept)

    def emit(self, record: Record) -> None:
        self.kept.append(record)

    async def close(self) -> None:
        self.closed = True


@dataclass
class Logger:
    """A logger that keeps its lines."""

    lines: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def info(self, event: str, **facts: object) -> None:
        self.lines.append((event, facts))


def config_of(**variables: str) -> Config:
    return load_config({"MCP_DRY_RUN": "false", "MCP_AUDIT_SINK": "none", **variables})


def bell_server(config: Config | None = None, bell: Bell | None = None, **options: Any) -> BuildServerResult:
    """A server with the bells alone."""
    return build_server(
        rest=bell or Bell(),
        config=config or config_of(),
        toolsets=[bells],
        **{"resources": BELLS, "transport": "memory", **options},
    )


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def code(client: Client, tool: str, arguments: dict[str, Any] | None = None) -> str | None:
    """Return the code of a failure, None where the call went well."""
    result = await client.call_tool(tool, arguments or {})
    assert result.structured_content is not None
    return result.structured_content["code"] if result.is_error else None


async def required(client: Client) -> dict[str, Any]:
    return {tool.name: tool.input_schema.get("required") for tool in (await client.list_tools()).tools}


# --- The list of tools ----------------------------------------------------------------------------------------------


@both_eras
async def test_the_registered_tools_are_those_that_are_listed_in_their_order(sandbox: Sandbox, era: Era) -> None:
    async with desk(sandbox, era) as at:
        assert await names(at.client) == at.built.registered_tools == ALL_NAMES


async def test_toolsets_of_ones_own_come_after_ours(sandbox: Sandbox) -> None:
    config = load_config(environment(sandbox))
    built = build_server(rest=build_rest(config), config=config, toolsets=[*TOOLSETS, bells])
    assert built.registered_tools == [*ALL_NAMES, "bells_ring", "bells_of_guild", "bells_melt"]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are named 'bells_ring'"):
        build_server(rest=None, config=config_of(), toolsets=[bells, bells])


def test_the_preconditions_are_registered() -> None:
    assert bell_server().registered_preconditions == ["category_enabled", "confirm_required", "explicit_guild_required"]


async def read_nothing(args: dict[str, Any], ctx: Context) -> dict[str, Any]:
    return {}


def namesakes() -> Iterable[Tool]:
    """Every name of ours, with another's tool behind it."""
    for name in ALL_NAMES:
        yield define_tool(
            name=name, description="Another tool.", input_schema={"colour": str}, handler=read_nothing, category="other"
        )


async def test_another_tool_with_one_of_our_names_is_listed_as_itself() -> None:
    built = build_server(rest=None, config=config_of(), toolsets=[list(namesakes())], transport="memory")
    async with connect(built.server) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == ALL_NAMES
    assert {tool.description for tool in listed} == {"Another tool."}
    assert all(tool.input_schema["required"] == ["colour"] for tool in listed)


async def test_the_prepared_listing_is_what_is_derived(sandbox: Sandbox) -> None:
    derived = {tool.name: tool.shape.published for toolset in TOOLSETS for tool in toolset}
    async with desk(sandbox) as at:
        assert {tool.name: tool.input_schema for tool in (await at.client.list_tools()).tools} == derived


# --- Categories, write mode, default guild --------------------------------------------------------------------------


@both_eras
async def test_a_category_that_is_not_enabled_is_hidden_and_refused(sandbox: Sandbox, era: Era) -> None:
    async with desk(sandbox, era, MCP_CATEGORIES="channels,guild") as at:
        enabled = [name for name, tool in own_tools().items() if tool.category in {"channels", "guild"}]
        assert await names(at.client) == at.built.registered_tools == enabled
        assert (await at.call("messages_send", MESSAGE)).code == "SCOPE_REJECTED"
        assert (await at.call("channels_get", channel_id=demo.GENERAL)).code is None
    assert at.writes == []


def test_a_category_that_does_not_exist_refuses_to_start_and_names_those_that_do() -> None:
    with pytest.raises(ConfigError, match="  - MCP_CATEGORIES: has no bels; the categories are bells, meta"):
        bell_server(config_of(MCP_CATEGORIES="bells,bels"))


async def test_the_category_of_a_tool_of_ones_own_can_be_enabled() -> None:
    async with connect(bell_server(config_of(MCP_CATEGORIES="bells")).server) as client:
        assert await code(client, "bells_ring") is None


@both_eras
async def test_preview_mode_answers_writes_with_their_preview_and_sends_nothing(sandbox: Sandbox, era: Era) -> None:
    async with desk(sandbox, era, MCP_WRITE_MODE="preview") as at:
        answer = await at.call("messages_send", MESSAGE)
        assert answer.code == "WRITE_PREVIEW"
        assert answer.structured["preview"] == MESSAGE
    assert sandbox.requests == ()


async def test_preview_mode_holds_for_tools_of_ones_own() -> None:
    bell = Bell()
    async with connect(bell_server(config_of(MCP_WRITE_MODE="preview"), bell).server) as client:
        assert await code(client, "bells_ring") == "WRITE_PREVIEW"
    assert bell.rings == 0


async def test_a_default_guild_is_not_required_and_filled_in() -> None:
    config = config_of(DISCORD_DEFAULT_GUILD_ID=demo.GUILD)
    async with connect(bell_server(config).server) as client:
        assert (await required(client))["bells_of_guild"] in (None, [])
        result = await client.call_tool("bells_of_guild", {})
        named = await client.call_tool("bells_of_guild", {"guild_id": "111122223333444453"})
    assert result.structured_content == {"times": int(demo.GUILD[-1])}
    assert named.structured_content == {"times": 3}


async def test_what_destroys_has_to_be_aimed_in_spite_of_a_default_guild() -> None:
    config = config_of(DISCORD_DEFAULT_GUILD_ID=demo.GUILD)
    async with connect(bell_server(config).server) as client:
        assert (await required(client))["bells_melt"] == ["guild_id"]
        assert await code(client, "bells_melt", {"__confirm": True}) == "VALIDATION_FAILED"


async def test_without_a_default_guild_it_is_required() -> None:
    async with connect(bell_server().server) as client:
        assert (await required(client))["bells_of_guild"] == ["guild_id"]
        assert await code(client, "bells_of_guild") == "VALIDATION_FAILED"


# --- The client that tools get --------------------------------------------------------------------------------------


async def test_a_client_of_any_kind_is_handed_on_as_it_is() -> None:
    bell = Bell()
    async with connect(bell_server(bell=bell).server) as client:
        result = await client.call_tool("bells_ring", {})
    assert result.structured_content == {"times": 1}
    assert bell.rings == 1


async def test_our_own_client_is_bound_to_the_deadline_of_each_call(sandbox: Sandbox) -> None:
    seen: list[Discord] = []
    watching = Toolset("watching")

    @watching.tool(Effect.READ)
    async def watching_client(discord: Discord, channel_id: ChannelId) -> Rung:
        """Remember the client."""
        seen.append(discord)
        return {"times": len(seen)}

    config = load_config(environment(sandbox))
    async with aclosing(build_rest(config)) as rest:
        built = build_server(rest=rest, config=config, toolsets=[watching], transport="memory")
        async with connect(built.server) as client:
            for _ in range(2):
                await client.call_tool("watching_client", {"channel_id": demo.GENERAL})
    assert seen[0] is not rest
    assert seen[0] is not seen[1]


async def test_without_a_token_tools_are_listed_and_calls_say_what_is_missing(sandbox: Sandbox) -> None:
    env = environment(sandbox)
    del env["DISCORD_TOKEN"]
    config = load_config(env)
    built = build_server(rest=build_rest(config), config=config, transport="memory")
    async with connect(built.server) as client:
        assert await names(client) == ALL_NAMES
        assert await code(client, "channels_get", {"channel_id": demo.GENERAL}) == "DISCORD_AUTH_INVALID"
    assert sandbox.requests == ()


# --- Several servers ------------------------------------------------------------------------------------------------


async def test_two_servers_in_one_process_do_not_mix() -> None:
    one, other = Bell(), Bell()
    sinks = Records(), Records()
    first = bell_server(config_of(MCP_CATEGORIES="bells"), one, audit_sink=sinks[0])
    second = bell_server(config_of(MCP_WRITE_MODE="preview"), other, audit_sink=sinks[1])
    async with AsyncExitStack() as stack:
        at_first = await stack.enter_async_context(connect(first.server))
        at_second = await stack.enter_async_context(connect(second.server))
        codes = await asyncio.gather(
            *(code(client, "bells_ring") for client in (at_first, at_second) for _ in range(5))
        )
    assert codes == [None] * 5 + ["WRITE_PREVIEW"] * 5
    assert (one.rings, other.rings) == (5, 0)
    assert [{record["outcome"] for record in sink.kept} for sink in sinks] == [{"success"}, {"refused"}]


async def test_one_set_of_tools_serves_two_sandboxes(sandbox: Sandbox) -> None:
    async with Sandbox.start() as second, desk(sandbox) as here, desk(second) as there:
        await here.call("messages_send", MESSAGE)
        assert len(here.writes) == 1
        assert there.writes == []


# --- Resources that change ------------------------------------------------------------------------------------------


@dataclass
class Updates:
    """What a client of the handshake era is told of resources, in order."""

    uris: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def __call__(self, message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            self.uris.put_nowait(str(message.params.uri))


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")  # by the client, of the older era's way
async def test_a_subscriber_of_the_handshake_era_is_told_until_it_unsubscribes() -> None:
    updates = Updates()
    built = bell_server()
    async with connect(built.server, "2025", message_handler=updates) as client:
        await client.subscribe_resource(BELL)
        assert list(built.subscriptions) == [BELL]
        await built.notify_resource(GONG)
        await built.notify_resource(BELL)
        assert await updates.uris.get() == BELL
        await client.unsubscribe_resource(BELL)
        await client.subscribe_resource(GONG)
        assert list(built.subscriptions) == [GONG]
        await built.notify_resource(BELL)
        await built.notify_resource(GONG)
        assert await updates.uris.get() == GONG


async def test_a_listener_of_the_2026_era_is_told() -> None:
    built = bell_server()
    async with connect(built.server, "2026") as client, client.listen(resource_subscriptions=[BELL]) as events:
        await built.notify_resource(GONG)
        await built.notify_resource(BELL)
        event = await anext(aiter(events))
    assert getattr(event, "uri", None) == BELL


@both_eras
@pytest.mark.parametrize("notifies", [True, False])
async def test_subscriptions_are_offered_only_by_a_server_that_notifies(era: Era, *, notifies: bool) -> None:
    async with connect(bell_server(notifies=notifies).server, era) as client:
        offered = client.server_capabilities.resources
        read = await client.read_resource(BELL)

    assert offered is not None
    assert bool(offered.subscribe) is notifies
    assert getattr(read.contents[0], "text", None) == "it rings"


async def test_a_server_can_be_built_without_resources() -> None:
    async with connect(bell_server(resources=(), notifies=False).server) as client:
        assert client.server_capabilities.resources is None


def test_two_resources_at_one_uri_are_refused() -> None:
    with pytest.raises(ValueError, match="two resources are at 'bell://door'"):
        bell_server(resources=[*BELLS, *BELLS])


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
async def test_only_what_can_be_read_can_be_subscribed_to() -> None:
    built = bell_server()
    async with connect(built.server, "2025") as client:
        with pytest.raises(MCPError, match="Resource not found"):
            await client.subscribe_resource("bell://nowhere")
    assert list(built.subscriptions) == []


# --- Audit, log, state ----------------------------------------------------------------------------------------------


async def test_the_given_audit_sink_gets_the_records_and_can_be_closed() -> None:
    sink = Records()
    built = bell_server(audit_sink=sink)
    async with connect(built.server) as client:
        await client.call_tool("bells_ring", {})
    assert built.audit_sink is sink
    assert [(record["tool"], record["transport"]) for record in sink.kept] == [("bells_ring", "memory")]
    await built.audit_sink.close()
    assert sink.closed


@pytest.mark.parametrize(
    ("variables", "writes"),
    [
        ({"MCP_AUDIT_SINK": "stderr"}, True),
        ({"MCP_AUDIT_SINK": "none"}, False),
        ({"MCP_AUDIT_SINK": "stderr", "MCP_AUDIT_ENABLED": "false"}, False),
    ],
)
def test_the_configuration_chooses_the_audit_sink(variables: dict[str, str], writes: bool) -> None:
    assert isinstance(bell_server(config_of(**variables)).audit_sink, StderrAudit) is writes


async def test_the_configured_sink_can_be_closed() -> None:
    sink: AuditSink = bell_server(config_of(MCP_AUDIT_SINK="stderr")).audit_sink
    await sink.close()


def test_the_logger_gets_a_line_about_the_built_server() -> None:
    logger = Logger()
    bell_server(logger=logger)
    assert logger.lines == [("server built", {"tools": 3, "transport": "memory"})]


async def test_the_given_state_is_used_and_surfaced_for_closing() -> None:
    kept = open_state(None)
    built = bell_server(state=kept)
    assert built.state is kept
    await built.state.close()


async def test_the_state_of_the_configuration_is_opened_and_can_be_closed(tmp_path: Any) -> None:
    built = bell_server(config_of(MCP_STATE_URL=f"sqlite:///{tmp_path}/state.db"))
    await built.state.put("key", b"value")
    assert await built.state.get("key") == b"value"
    await built.state.close()
    assert (tmp_path / "state.db").exists()
