"""Usual calls of threads."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.channel_settings import ARCHIVE_MINUTES, PUBLIC_THREAD
from accord.discord.sandbox.routes.threads import opening_metadata
from accord.discord.sandbox.world import Channel, Thread

__all__ = ["EXAMPLES", "REFUSED", "own_thread"]


def own_thread(sandbox: Sandbox) -> Arguments:
    """A thread of this call's own, in which the bot and Theo are."""
    now = sandbox.world.now()
    thread = Thread(demo.BOT, opening_metadata(now, ARCHIVE_MINUTES[-1]), {demo.BOT: now, demo.THEO: now})
    made = Channel(
        sandbox.world.new_id(), PUBLIC_THREAD, "Glue", demo.GUILD, demo.GENERAL, settings={"rate_limit_per_user": 0},
        thread=thread,
    )  # fmt: skip
    sandbox.world.channels[made.id] = made
    return {"thread_id": made.id}


EXAMPLES: Examples = {
    "threads_create": lambda _: {"channel_id": demo.GENERAL, "name": "Glue", "type": 12, "invitable": False},
    "threads_search": lambda _: {"channel_id": demo.FORUM, "tag": [demo.BUG_TAG], "tag_setting": "match_all"},
    "threads_get_member": lambda _: {"thread_id": demo.THREAD, "user_id": demo.THEO, "with_member": True},
    "threads_list_members": lambda _: {"thread_id": demo.THREAD, "with_member": True, "limit": 2},
    "threads_join": own_thread,
    "threads_leave": own_thread,
    "threads_add_member": lambda sandbox: {**own_thread(sandbox), "user_id": demo.OMAR},
    "threads_remove_member": lambda sandbox: {**own_thread(sandbox), "user_id": demo.THEO},
}

NOWHERE = {"thread_id": MISSING}
OMAR = {"thread_id": demo.THREAD, "user_id": demo.OMAR}

REFUSED: Refusals = {
    "threads_create": not_found({"channel_id": MISSING, "name": "Glue", "type": 11}),
    "threads_search": not_found({"channel_id": MISSING}),
    "threads_get_member": not_found(OMAR),
    "threads_list_members": not_found(NOWHERE),
    "threads_join": not_found(NOWHERE),
    "threads_leave": not_found(NOWHERE),
    "threads_add_member": not_found({**NOWHERE, "user_id": demo.OMAR}),
    "threads_remove_member": not_found(OMAR),
}
