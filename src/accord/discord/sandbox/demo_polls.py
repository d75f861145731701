"""A poll in the demo world, with votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.content.polls import opened
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from accord.discord.sandbox.world import World

HOURS_OPEN = 7 * 24
BOOKS = ("The Dispossessed", "Piranesi", "Solaris")


def add_poll(world: World, channel_id: str, voters: tuple[str, ...]) -> Message:
    """Let the bot ask for the next book; the voters chose one answer after the other."""
    asked = {
        "question": {"text": "What do we read after that?"},
        "answers": [{"poll_media": {"text": title}} for title in BOOKS],
        "duration": HOURS_OPEN,
    }
    message = Message(world.new_id(), channel_id, world.me.id, poll=opened(asked, world.clock()))
    message.votes = {number: [voter] for number, voter in enumerate(voters, start=1)}
    return world.channels[channel_id].add(message)
