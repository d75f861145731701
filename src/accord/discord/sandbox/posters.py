"""Who posts by a token in the path: a webhook, or the application in answer to an interaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from accord.discord.sandbox import codes
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content.composing import Sender

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Channel, JsonObject, Message, World

EPHEMERAL = 1 << 6
LOADING = 1 << 7


@dataclass(frozen=True, slots=True)
class Poster:
    """A sender with the channel that its token is for.

    `owned` says that the application may use components of every kind. `interaction` is what is answered; only who
    caused it sees ephemeral answers, which lie in its `hidden`.
    """

    sender: Sender
    channel: Channel
    owned: bool
    interaction: JsonObject | None = None

    def shelf(self, channel: Channel, flags: int) -> dict[str, Message]:
        """Where a message with these flags lies."""
        if self.interaction is not None and flags & EPHEMERAL:
            hidden: dict[str, Message] = self.interaction.setdefault("hidden", {})
            return hidden
        return channel.messages

    def message(self, channel: Channel, message_id: str) -> Message:
        """A message of its own; raises Refused 10008 for any other."""
        hidden: dict[str, Message] = (self.interaction or {}).get("hidden", {})
        found = hidden.get(message_id) or channel.messages.get(message_id)
        is_original = message_id == (self.interaction or {}).get("original")
        if found is None or not (is_original or found.webhook_id == self.sender.webhook_id):
            raise Refused(codes.UNKNOWN_MESSAGE)
        return found


def seen_by_one(message: Message, body: JsonObject) -> Message:
    """The answer to an interaction with the flag, if it was asked for, that hides it from all others."""
    message.flags |= int(body.get("flags") or 0) & EPHEMERAL
    return message


def poster(world: World, webhook_id: str, token: str, name: str | None = None) -> Poster:
    """Whose token this is; raises Refused 10015 for an unknown webhook, 50027 for another's token."""
    if webhook_id == world.application_id:
        return _application(world, token)
    webhook = world.webhooks.get(webhook_id)
    if webhook is None:
        raise Refused(codes.UNKNOWN_WEBHOOK)
    if not webhook.get("token") or webhook["token"] != token:
        raise Refused(codes.INVALID_WEBHOOK_TOKEN)
    sender = Sender(webhook_id, webhook_id, name or webhook["name"])
    return Poster(sender, world.channels[webhook["channel_id"]], webhook["application_id"] == world.application_id)


def _application(world: World, token: str) -> Poster:
    """The bot in answer to an interaction; a followup has to follow something."""
    interaction = world.interactions.get(token)
    if interaction is None:
        raise Refused(codes.INVALID_WEBHOOK_TOKEN)
    if not interaction.get("answered"):
        raise Refused(codes.UNKNOWN_WEBHOOK)
    return answering(world, interaction)


def answering(world: World, interaction: JsonObject) -> Poster:
    """The bot in answer to this interaction."""
    sender = Sender(world.me.id, world.application_id)
    return Poster(sender, world.channels[interaction["channel_id"]], owned=True, interaction=interaction)
