"""A server on the engine with the tools that the conformance suite's scenarios call, by the suite's names for them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

import uvicorn
from tests.engine.small_server import Desk, calls_of, server_of

from accord.engine import (
    Caller,
    ClientError,
    Context,
    Effect,
    Hosts,
    Question,
    Reply,
    Sessions,
    Subscriptions,
    Toolset,
    http_app,
    open_state,
)

__all__ = ["served"]

Json: TypeAlias = Any

PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="  # one red pixel
)
WAV: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="  # a header, and no sound after it

IMAGE: Final = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO: Final = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
RESOURCE: Final = {
    "type": "resource",
    "resource": {
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    },
}

NAME: Final = {"name": {"type": "string"}}
COLOR: Final = {"color": {"type": "string"}}
OK: Final = {"ok": {"type": "boolean"}}
CONTACT: Final = {"username": {"type": "string"}, "email": {"type": "string"}}
DEFAULTS: Final = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
PLAIN: Final = ["option1", "option2", "option3"]
TITLED: Final = [{"const": f"value{number}", "title": f"Option {number}"} for number in (1, 2, 3)]
ENUMS: Final = {
    "untitledSingle": {"type": "string", "enum": PLAIN},
    "titledSingle": {"type": "string", "oneOf": TITLED},
    "legacyEnum": {"type": "string", "enum": PLAIN, "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
}
"""The five forms of a choice that a form may have."""

tools = Toolset("conformance")


class IntendedError(ClientError, code="INTENDED"):
    """This tool intentionally returns an error for testing."""


class NoSamplingError(ClientError, code="NO_SAMPLING"):
    """The client offers no model."""


def said(text: str, *blocks: Mapping[str, Json]) -> Reply:
    """Return a reply of a text, and blocks beside it."""
    return Reply(structured=None, text=text, blocks=blocks)


async def asked(context: Context, key: str, message: str, properties: Mapping[str, Json]) -> Reply:
    """Ask the person with a form whose fields are all required, and return what came of it."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    answer = await context.ask(Question(key=key, message=message, schema=schema))
    return said(f"Elicitation completed: action={answer.action}, content={dict(answer.content)}")


async def sampled(context: Context, key: str, prompt: str) -> Reply:
    """Ask the client's model, and return what it said."""
    message = {"role": "user", "content": {"type": "text", "text": prompt}}
    answer = await context.request_sampling({"messages": [message], "maxTokens": 100}, key)
    if answer is None:
        raise NoSamplingError
    return said(f"LLM response: {answer['content']['text']}")


# --- What a result may hold ----------------------------------------------------------------------------------------


@tools.tool(Effect.READ)
async def test_simple_text(desk: Desk) -> Reply:
    """Return a text."""
    return said("This is a simple text response for testing.")


@tools.tool(Effect.READ)
async def test_image_content(desk: Desk) -> Reply:
    """Return an image."""
    return said("An image:", IMAGE)


@tools.tool(Effect.READ)
async def test_audio_content(desk: Desk) -> Reply:
    """Return a sound."""
    return said("A sound:", AUDIO)


@tools.tool(Effect.READ)
async def test_embedded_resource(desk: Desk) -> Reply:
    """Return a resource."""
    return said("A resource:", RESOURCE)


@tools.tool(Effect.READ)
async def test_multiple_content_types(desk: Desk) -> Reply:
    """Return one of each."""
    return said("Multiple content types test:", IMAGE, RESOURCE)


@tools.tool(Effect.READ)
async def test_error_handling(desk: Desk) -> Reply:
    """Fail."""
    raise IntendedError


# --- What is sent before the result --------------------------------------------------------------------------------


@tools.tool(Effect.READ)
async def test_tool_with_progress(desk: Desk, context: Context) -> Reply:
    """Tell how far the work is."""
    for done in (0, 50, 100):
        await context.progress(done, 100)
    return said("Done.")


@tools.tool(Effect.READ)
async def test_logging_tool(desk: Desk) -> Reply:
    """Return without a log message: the engine sends none."""
    return said("Done.")


# --- What the client is asked while a call waits (2025) ------------------------------------------------------------


@tools.tool(Effect.READ)
async def test_sampling(desk: Desk, context: Context, prompt: str) -> Reply:
    """Ask the client's model."""
    return await sampled(context, "sample", prompt)


@tools.tool(Effect.READ)
async def test_elicitation(desk: Desk, context: Context, message: str) -> Reply:
    """Ask the client's person."""
    return await asked(context, "contact", message, CONTACT)


@tools.tool(Effect.READ)
async def test_elicitation_sep1034_defaults(desk: Desk, context: Context) -> Reply:
    """Ask with a default for each kind of field."""
    return await asked(context, "defaults", "Please check these values", DEFAULTS)


@tools.tool(Effect.READ)
async def test_elicitation_sep1330_enums(desk: Desk, context: Context) -> Reply:
    """Ask for choices of every form."""
    return await asked(context, "choices", "Please choose", ENUMS)


# --- What the client has to bring with a repeated call (2026) ------------------------------------------------------


@tools.tool(Effect.READ)
async def test_input_required_result_elicitation(desk: Desk, context: Context) -> Reply:
    """Ask for a name."""
    return await asked(context, "user_name", "What is your name?", NAME)


@tools.tool(Effect.READ)
async def test_input_required_result_sampling(desk: Desk, context: Context) -> Reply:
    """Ask the model a question."""
    return await sampled(context, "capital_question", "What is the capital of France?")


@tools.tool(Effect.READ)
async def test_input_required_result_request_state(desk: Desk, context: Context) -> Reply:
    """Ask for a confirmation."""
    await asked(context, "confirm", "Please confirm", OK)
    return said("state-ok")


@tools.tool(Effect.READ)
async def test_input_required_result_tampered_state(desk: Desk, context: Context) -> Reply:
    """Ask for a confirmation whose state somebody changes on the way."""
    return await asked(context, "confirm", "Please confirm", OK)


@tools.tool(Effect.READ)
async def test_input_required_result_multi_round(desk: Desk, context: Context) -> Reply:
    """Ask one thing after the other."""
    await asked(context, "step1", "Step 1: What is your name?", NAME)
    return await asked(context, "step2", "Step 2: What is your favorite color?", COLOR)


@tools.tool(Effect.READ)
async def test_input_required_result_capabilities(desk: Desk, context: Context) -> Reply:
    """Ask the person and the model, each if the client declared it."""
    answer = await asked(context, "confirm", "Please confirm", OK)
    return await sampled(context, "greeting", "Generate a greeting") if context.sampling_supported else answer


@tools.tool(Effect.READ)
async def test_missing_capability(desk: Desk, context: Context) -> Reply:
    """Ask the model of a client that offers none."""
    return await sampled(context, "greeting", "Generate a greeting")


@tools.tool(Effect.READ)
async def test_streaming_elicitation(desk: Desk, context: Context) -> Reply:
    """Tell how far the work is, then ask."""
    await context.progress(0, 1)
    return await asked(context, "confirm", "Please confirm", OK)


class OpenFront:
    """Lets in whoever is on this machine."""

    async def admit(self, request: Mapping[str, str], session: str | None) -> Caller:
        """Return the one caller."""
        return Caller(id="suite", transport="http")


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """Serve on a free loopback port until the block ends, and return where MCP is."""
    state = open_state(None)
    server = server_of(calls_of(tools), state=state, subscriptions=Subscriptions())
    app = http_app(server, OpenFront(), Sessions(state), Hosts.of("127.0.0.1"))
    listener = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", lifespan="on"))
    serving = asyncio.create_task(running.serve([listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        app.end_streams()
        running.should_exit = True
        await serving
        await state.close()
