# ruff: noqa: INP001 - a script, no package
"""Write docs/sandbox.md from the sandbox's own tables: `python docs/generate/sandbox.py`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from accord.discord.sandbox import demo
from accord.discord.sandbox.fault_kinds import ANSWERS, CHANGES
from accord.discord.sandbox.limits import BUCKETS, DELETION_BY_AGE, GLOBAL, ORDINARY_SECONDS, ORDINARY_SIZE, RENAMES
from accord.discord.sandbox.routes import ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from accord.discord.sandbox.fault_kinds import Kind, Option
    from accord.discord.sandbox.limits import Bucket

PAGE = Path(__file__).parents[1] / "sandbox.md"

NAMED = (
    ("Lantern Workshop", "guild", demo.GUILD),
    ("#general", "text channel", demo.GENERAL),
    ("#welcome", "text channel", demo.WELCOME),
    ("#announcements", "channel in which the bot may not write", demo.ANNOUNCEMENTS),
    ("#staff", "private channel", demo.STAFF),
    ("Workbench", "voice channel", demo.VOICE),
    ("help-desk", "forum", demo.FORUM),
    ("Reading Corner", "second guild", demo.SECOND_GUILD),
    ("#general", "its text channel", demo.SECOND_GENERAL),
    ("Maya", "user, owner of the workshop", demo.MAYA),
    ("Theo", "user", demo.THEO),
    ("Lena", "user", demo.LENA),
    ("Omar", "user who takes no direct messages", demo.OMAR),
    ("Lantern Bot", "the bot", demo.BOT),
    ("Lantern Bot", "its application", demo.APPLICATION),
)

INTRODUCTION = """\
# The sandbox

<!-- Written by docs/generate/sandbox.py; change that or the sandbox's tables, not this page. -->

A stand-in for Discord's HTTP API that lives in one process, on this machine only: with guilds, people and messages,
with state that your calls change, with Discord's rate limits, and with every failure on demand that Discord or the road
to it is known for. It needs no bot, no token of yours and no network. Nothing is kept when it ends.

It shares no line with the client of `discord-mcp`, so that the two cannot agree on a mistake.

## Start it

| you want | do |
| --- | --- |
| an agent to work in it | `discord-mcp serve --sandbox` in the host's configuration |
| one call | `discord-mcp call channels_list --sandbox guild_id={guild}` |
| it by itself, for any Discord library | `discord-mcp sandbox --port 8800`; `--json` tells where it is in one line |
| it in a Python test | `async with Sandbox.start() as sandbox:` |

By itself it prints its address, its token and the ids to begin with. A server is sent to it by two variables:

    export DISCORD_API_BASE_URL=http://127.0.0.1:8800/api
    export DISCORD_TOKEN={token}

Other libraries take the address as `url` (hikari: `http://127.0.0.1:8800/api/v10`), `api` (discord.js's REST,
without the version) or whatever they call it. Both `/api` and `/api/v10` are served.

## What is there

The token above is the only one that is accepted. These ids are always the same; those of messages are new each time, as
messages are minutes to days old.

"""

CONTROL = """
One message in #general tries to give orders to whoever reads it.

## Ask it for more

Next to the API are routes of its own, for tests in any language. They need no token.

| request | does |
| --- | --- |
| `POST /_sandbox/faults` | lets a fault wait: `{"route": "POST /channels/{}/messages", "kind": "status"}` |
| `DELETE /_sandbox/faults` | ends all faults |
| `GET /_sandbox/requests?since=0` | what was requested and with which status it was answered, without credentials |
| `DELETE /_sandbox/requests` | forgets that; numbers go on |
| `GET /_sandbox/invalid-requests` | how many requests Discord would have counted as invalid |
| `DELETE /_sandbox/invalid-requests` | forgets those, and ends a block |

## Faults

A fault waits for requests on a route, by its template (names in the placeholders do not matter), or on all of them:
`*`. Besides the options of its kind it takes

- `times`: how many requests meet it. Usually 1; null, and usual for the kinds that last, is until all faults are ended.
- `skip`: how many requests on its route pass first; usually 0. `unauthorized` with `skip: 3` is a token that dies
  at the fourth request.

Of the waiting faults a request meets the first that answers it, and the first of each kind that changes its answer. So
faults can be put together:

| to have | ask for |
| --- | --- |
| a 429 while the headers say that there is room | `rate_limited` with `hidden` |
| a resource's limit that outlasts the bucket | `rate_limited` of scope shared, with a long `retry_after` |
| a global limit without its scope | `rate_limited` of scope global, and `headers` with `{"X-RateLimit-Scope": null}` |
| two routes on one bucket | `bucket` with the same `name`, `size` and `seconds` on both |
| a hash that changes midway | `bucket` with a new `name` and `skip` |
| answers that overtake each other | `delay` with `after` on the first request |
| a reset while requests are in flight | a short `bucket`, and a longer `delay` with `after` |
| a write whose answer is lost | `drop` or `bad_gateway_html` with `after`, or `delay` beyond the client's patience |

### Kinds that answer

"""

CHANGING = """
### Kinds that change the answer

"""

LIMITS = """
## Limits

Requests beyond a limit are answered 429, as Discord words it; the headers tell of the bucket. Discord publishes no
numbers but the global one: these are what clients report to see. All are fixed windows; `bucket` makes one leaky.

"""

INVALID = """
`Sandbox.start(limits=False)` keeps to none of them and sends no headers of limits, so that nobody waits; a `bucket`
fault brings a single one back.

**Invalid requests.** Discord blocks an address at 10,000 answers of 401, 403 or 429 (but for scope `shared`) within 10
minutes. The sandbox counts them the same way, and then answers everything with the block's notice: a 429 without
`retry_after`. `sandbox.invalid_requests` is the count, `Sandbox.start(ban_after=50)` sets a stricter limit for a test.

## In your agent's CI

In Python, with the server or any client in the same test:

    from accord.discord.sandbox import Sandbox, demo

    async def test_the_agent_greets_once_though_discord_fails():
        async with Sandbox.start() as sandbox:
            sandbox.fail("POST /channels/{}/messages", "bad_gateway_html", after=True)

            await run_my_agent(sandbox.base_url, sandbox.token)

            messages = sandbox.world.channels[demo.GENERAL].messages.values()
            assert [one.content for one in messages].count("Hello!") == 1
            assert sandbox.invalid_requests == 0

`sandbox.world` is the state, free to be read and arranged; `sandbox.requests` are the exchanges, byte for byte; `heal`
ends all faults; `on_exchange` hears of every exchange; `clock` is the sandbox's time.

In any other language, as a step before the tests:

    discord-mcp sandbox --port 8800 &
    curl --retry 20 --retry-connrefused --silent http://127.0.0.1:8800/_sandbox/invalid-requests
    curl --data '{"route": "*", "kind": "unauthorized", "skip": 3}' http://127.0.0.1:8800/_sandbox/faults

## What it serves

These routes, with Discord's checks of permissions, forms, lengths and states. Others answer 404; there is no gateway.

"""


def document() -> str:
    """Return the page."""
    return "".join(
        (
            INTRODUCTION.format(guild=demo.GUILD, token=demo.TOKEN),
            _table("name | what it is | id", NAMED),
            CONTROL,
            _table("kind | what it does | options, and what they usually are", map(_kind, ANSWERS.items())),
            CHANGING,
            _table("kind | what it does | options, and what they usually are", map(_kind, CHANGES.items())),
            LIMITS,
            _table("route | requests | seconds", _limits()),
            INVALID,
            "".join(f"    {route.method:<6} {route.template}\n" for route in ROUTES),
        )
    )


def _kind(entry: tuple[str, Kind]) -> tuple[str, ...]:
    name, kind = entry
    lasting = " Lasts until all faults are ended." if kind.lasts else ""
    return f"`{name}`", kind.meaning + lasting, "; ".join(_options(kind.options))


def _options(options: Mapping[str, Option]) -> Iterator[str]:
    for name, option in options.items():
        yield f"`{name}`: {option.wanted} (`{orjson.dumps(option.usual).decode()}`)"


def _limits() -> Iterator[tuple[str, ...]]:
    yield _limit("all together", GLOBAL)
    for route, bucket in BUCKETS.items():
        yield _limit(f"`{route}`", bucket)
    yield _limit("`PATCH /channels/{}` with a name or topic, told by no header", RENAMES)
    for oldest, bucket in DELETION_BY_AGE:
        age = "older" if oldest == math.inf else f"younger than {oldest:,.0f} s"
        yield _limit(f"`DELETE /channels/{{}}/messages/{{}}`, {age}", bucket)
    yield "any other", str(ORDINARY_SIZE), f"{ORDINARY_SECONDS:g}"


def _limit(route: str, bucket: Bucket) -> tuple[str, ...]:
    return route, str(bucket.size), f"{bucket.seconds:g}"


def _table(heads: str, lines: Iterable[tuple[str, ...]]) -> str:
    rules = " | ".join("---" for _ in heads.split(" | "))
    return "".join(f"| {line} |\n" for line in (heads, rules, *(" | ".join(cells) for cells in lines)))


if __name__ == "__main__":
    PAGE.write_text(document(), encoding="utf-8")
