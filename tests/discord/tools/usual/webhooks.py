"""Usual calls of webhooks."""

from __future__ import annotations

from typing import Any, Final

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_hooks import WEBHOOK
from accord.discord.sandbox.routes.webhooks import incoming
from accord.discord.sandbox.world import Message

__all__ = ["DEPARTURES", "EXAMPLES", "PUSH", "REFUSED", "TOKEN", "own_webhook", "webhook_message"]

TOKEN: Final = "t0ken-" * 11

GITHUB = "https://github.com"
PUSH: Final[dict[str, Any]] = {
    "sender": {"id": 1, "login": "maya", "html_url": f"{GITHUB}/maya", "avatar_url": f"{GITHUB}/maya.png"},
    "repository": {"id": 2, "html_url": f"{GITHUB}/maya/lamp", "name": "lamp", "full_name": "maya/lamp"},
    "ref": "refs/heads/main",
    "commits": [
        {"id": "c0ffee", "url": f"{GITHUB}/maya/lamp/commit/c0ffee", "message": "Dim", "author": {"name": "M"}}
    ],
}

SECRET = "a secret has no place in a model's context; webhooks_execute looks the token up itself"
INERT = "Discord reads it in multipart forms only, where the client writes it itself; `files` uploads"

DEPARTURES: Final[dict[str, str]] = {
    "webhooks_create.token": SECRET,
    "webhooks_get_with_token.token": SECRET,
    "webhooks_execute.attachments": "without files it did nothing; `files` uploads and describes them",
    "webhooks_execute.payload_json": INERT,
    "webhooks_edit_message.payload_json": INERT,
}


def own_webhook(sandbox: Sandbox, channel_id: str = demo.GENERAL, **more: Any) -> Arguments:
    """A webhook of this call's own; `more` are fields of it."""
    world = sandbox.world
    webhook = incoming(world.new_id(), TOKEN, "Weather", world.channels[channel_id], world.application_id)
    world.webhooks[webhook["id"]] = webhook | more
    return {"webhook_id": webhook["id"]}


def webhook_message(sandbox: Sandbox, channel_id: str = demo.GENERAL, **more: Any) -> Arguments:
    """A message by a webhook of this call's own; `more` are fields of it."""
    webhook_id = own_webhook(sandbox)["webhook_id"]
    made = Message(
        sandbox.world.new_id(), channel_id, webhook_id, "before", webhook_id=webhook_id, author_name="Weather", **more
    )
    sandbox.world.channels[channel_id].add(made)
    return {"webhook_id": webhook_id, "message_id": made.id}


GONE = {"webhook_id": MISSING}
GONE_WITH_TOKEN = {"webhook_id": MISSING, "token": TOKEN}

EXAMPLES: Examples = {
    "webhooks_list_channel": lambda _: {"channel_id": demo.GENERAL},
    "webhooks_list_guild": lambda _: {"guild_id": demo.GUILD},
    "webhooks_create": lambda _: {"channel_id": demo.WELCOME, "name": "Weather"},
    "webhooks_get": lambda _: {"webhook_id": WEBHOOK},
    "webhooks_get_with_token": lambda sandbox: {**own_webhook(sandbox), "token": TOKEN},
    "webhooks_modify": lambda sandbox: {**own_webhook(sandbox), "name": "Forecast"},
    "webhooks_modify_with_token": lambda sandbox: {
        **own_webhook(sandbox),
        "token": TOKEN,
        "name": "Forecast",
        "__confirm": True,
    },
    "webhooks_delete": lambda sandbox: {**own_webhook(sandbox), "__confirm": True},
    "webhooks_delete_with_token": lambda sandbox: {**own_webhook(sandbox), "token": TOKEN, "__confirm": True},
    "webhooks_execute": lambda sandbox: {**own_webhook(sandbox), "content": "Clear, 11 °C"},
    "webhooks_get_message": webhook_message,
    "webhooks_edit_message": lambda sandbox: {**webhook_message(sandbox), "content": "after"},
    "webhooks_execute_slack": lambda sandbox: {
        **own_webhook(sandbox),
        "text": "Clear",
        "attachments": [{"title": "Sun"}],
    },
    "webhooks_execute_github": lambda sandbox: {**own_webhook(sandbox), "event": "push", "payload": PUSH},
    "webhooks_delete_message": lambda sandbox: {**webhook_message(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "webhooks_list_channel": not_found({"channel_id": MISSING}),
    "webhooks_list_guild": not_found({"guild_id": MISSING}),
    "webhooks_create": not_found({"channel_id": MISSING, "name": "Weather"}),
    "webhooks_get": not_found(GONE),
    "webhooks_get_with_token": not_found(GONE_WITH_TOKEN),
    "webhooks_modify": not_found({**GONE, "name": "Forecast"}),
    "webhooks_modify_with_token": not_found({**GONE_WITH_TOKEN, "name": "Forecast", "__confirm": True}),
    "webhooks_delete": not_found({**GONE, "__confirm": True}),
    "webhooks_delete_with_token": not_found({**GONE_WITH_TOKEN, "__confirm": True}),
    "webhooks_execute": not_found({**GONE, "content": "Clear"}),
    "webhooks_get_message": not_found({"webhook_id": WEBHOOK, "message_id": MISSING}),
    "webhooks_edit_message": not_found({"webhook_id": WEBHOOK, "message_id": MISSING, "content": "after"}),
    "webhooks_execute_slack": not_found({**GONE, "text": "Clear"}),
    "webhooks_execute_github": not_found({**GONE, "event": "push", "payload": PUSH}),
    "webhooks_delete_message": not_found({**GONE_WITH_TOKEN, "message_id": MISSING, "__confirm": True}),
}
