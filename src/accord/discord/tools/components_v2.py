"""components_v2: messages laid out from components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Unpack

from accord.discord.access import needs
from accord.discord.components import builders
from accord.discord.components.arguments import (
    edit_is_whole,
    gallery_is_whole,
    inside_is_whole,
    layout_is_whole,
    section_is_whole,
    template_is_filled,
    tree_of,
)
from accord.discord.components.kinds import IN_CONTAINER
from accord.discord.components.preview import preview
from accord.discord.components.templates import TemplateName
from accord.discord.components.validator import read_layout
from accord.discord.gates import APPROVED_PAYLOAD, CONSENT, own_nonce
from accord.discord.links import readable_guild_of
from accord.discord.models.components import Component, Components, NewGalleryItem
from accord.discord.models.files import files_are_one
from accord.discord.models.ids import ChannelId, MessageId
from accord.discord.models.layouts import (
    Built,
    LayoutChanges,
    LayoutCheck,
    LayoutSent,
    NewLayout,
    NewTemplated,
    Preview,
    TemplateSent,
)
from accord.discord.models.mentions import mentions_are_one
from accord.discord.models.messages import Edited, MessageObject, few_enough_files
from accord.discord.models.permissions import Permission
from accord.discord.models.values import RGB
from accord.discord.outgoing import laid_out, laid_out_anew, nonce_of, rewritten, sendable, what_changed
from accord.discord.rest.client import Discord
from accord.discord.results.layouts import layout_check
from accord.discord.results.messages import edited, sent
from accord.discord.sending import writes_of
from accord.discord.upload_limits import files_fit
from accord.engine import Effect, Field, Toolset

tools = Toolset("components_v2", fence="untrusted_discord")

LOCAL = needs(auth="none")
SENDING: Mapping[str, Permission] = {
    "in a thread, in place of SEND_MESSAGES": "SEND_MESSAGES_IN_THREADS",
    "reply_to": "READ_MESSAGE_HISTORY",
    "to ping @everyone": "MENTION_EVERYONE",
}
WITH_FILES: Mapping[str, Permission] = {"files": "ATTACH_FILES"}

Drawn = Annotated[list[Component], Field(description="as discord://components-v2/schema says")]


@tools.tool(Effect.READ, say="Built a container.", checks=(inside_is_whole,), facts=LOCAL, open_world=False)
async def components_v2_build_container(
    _discord: Discord, components: Components, accent_color: RGB | None = None, spoiler: bool | None = None
) -> Built:
    """Build a box with a coloured edge around components. Sends nothing."""
    held = read_layout(components, place=IN_CONTAINER).components
    return {"component": builders.container(held, accent_color=accent_color, spoiler=spoiler)}


@tools.tool(Effect.READ, say="Built a section.", checks=(section_is_whole,), facts=LOCAL, open_world=False)
async def components_v2_build_section(
    _discord: Discord,
    text: Annotated[list[Annotated[str, Field(min_length=1, max_length=4000)]], Field(min_items=1, max_items=3)],
    accessory: Annotated[dict[str, Any], Field(description="a thumbnail (type 11) or a button (type 2)")],
) -> Built:
    """Build a section: one to three texts with a thumbnail or a button beside them. Sends nothing."""
    (section,) = read_layout([builders.section(text, accessory)]).components
    return {"component": section}


@tools.tool(Effect.READ, say="Built a gallery.", checks=(gallery_is_whole,), facts=LOCAL, open_world=False)
async def components_v2_build_media_gallery(
    _discord: Discord,
    items: Annotated[list[NewGalleryItem], Field(min_items=1, max_items=10, description="{url, description, spoiler}")],
) -> Built:
    """Build a gallery of one to ten pictures or videos. Sends nothing."""
    return {"component": builders.gallery(items)}


@tools.tool(Effect.READ, say="Checked components: {component_count}.", facts=LOCAL, open_world=False)
async def components_v2_validate(_discord: Discord, components: Drawn) -> LayoutCheck:
    """Check a layout against Discord's rules: each fault with its place and a fix. Sends nothing."""
    return layout_check(components)


@tools.tool(Effect.READ, say="Drawn, not checked.", facts=LOCAL, open_world=False)
async def components_v2_preview(_discord: Discord, components: Drawn) -> Preview:
    """Draw a layout as an indented tree of text, whole or not. Sends nothing."""
    return {"ascii": preview(components)}


@tools.tool(
    Effect.CREATE,
    say="Sent message {message_id} to <#{channel_id}>.",
    gates=(own_nonce,),
    checks=(layout_is_whole, mentions_are_one, files_are_one),
    facts=needs("VIEW_CHANNEL", "SEND_MESSAGES", when={**SENDING, **WITH_FILES}),
    reserved={**APPROVED_PAYLOAD, **CONSENT},
)
async def components_v2_send(
    discord: Discord, channel_id: ChannelId, components: Components, **message: Unpack[NewLayout]
) -> LayoutSent:
    """Send a message laid out from components: texts, sections, galleries, files, buttons, containers.

    Nobody is pinged unless allowed_mentions says so.
    """
    tree, nonce = tree_of({"components": components}), nonce_of(message)
    (write,) = await writes_of(discord, laid_out(tree, message), channel_id, nonce=nonce)
    made = await discord.post("/channels/{}/messages", channel_id, into=MessageObject, **write)
    return {**sent(made, await readable_guild_of(discord, channel_id), nonce), "component_count": len(tree)}


@tools.tool(
    Effect.UPDATE,
    say="Edited message {message_id} in <#{channel_id}>.",
    checks=(edit_is_whole, few_enough_files, mentions_are_one, files_are_one),
    facts=needs("VIEW_CHANNEL", when={**WITH_FILES, "to ping @everyone": "MENTION_EVERYONE"}),
    reserved={**APPROVED_PAYLOAD, **CONSENT},
)
async def components_v2_edit(
    discord: Discord,
    channel_id: ChannelId,
    message_id: MessageId,
    components: Components,
    **changes: Unpack[LayoutChanges],
) -> Edited:
    """Lay one of the bot's own messages out anew. A plain message loses its text and embeds for good."""
    layout = laid_out_anew(tree_of({"components": components}), changes)
    write = await rewritten(
        discord, layout, lambda: discord.get("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject)
    )
    await files_fit(discord, channel_id, write)
    made = await discord.patch("/channels/{}/messages/{}", channel_id, message_id, into=MessageObject, **write)
    return edited(made, what_changed(write) & {"components", "attachments"})


@tools.tool(
    Effect.CREATE,
    say="Sent message {message_id} to <#{channel_id}>.",
    gates=(own_nonce,),
    checks=(template_is_filled, mentions_are_one),
    facts=needs("VIEW_CHANNEL", "SEND_MESSAGES", when=SENDING),
    reserved={**APPROVED_PAYLOAD, **CONSENT},
)
async def components_v2_send_from_template(
    discord: Discord,
    channel_id: ChannelId,
    template: TemplateName,
    vars: Annotated[dict[str, str], Field(description="all of discord://components-v2/templates/<template>")],  # noqa: A002 - the contract's name
    **message: Unpack[NewTemplated],
) -> TemplateSent:
    """Send a message from a template with its variables filled in. Nobody is pinged unless allowed_mentions says so."""
    tree, nonce = tree_of({"template": template, "vars": vars}), nonce_of(message)
    write = await sendable(discord, laid_out(tree, message), nonce=nonce)
    made = await discord.post("/channels/{}/messages", channel_id, into=MessageObject, **write)
    return {**sent(made, await readable_guild_of(discord, channel_id), nonce), "template": template}
