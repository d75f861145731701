"""application: the bot's own application."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.application_lookup import application_of
from accord.discord.conditions import changes_the_application
from accord.discord.files import file_of, with_images
from accord.discord.models.application_rules import installs_somewhere, keys_are_unique
from accord.discord.models.applications import (
    ActivityInstance,
    Application,
    ApplicationChanges,
    Authorization,
    Gateway,
    GatewayBot,
    MetadataRecord,
    MetadataRecords,
    PublicKey,
    PublicKeys,
    UploadedAttachment,
)
from accord.discord.models.files import OneFile
from accord.discord.models.ids import ActivityInstanceId, ApplicationId, BearerToken
from accord.discord.models.values import Wire
from accord.discord.outgoing import changed
from accord.discord.rest.client import Discord
from accord.discord.results.applications import application, authorization, metadata_records
from accord.discord.results.picking import WHOLE, each_picked, picked
from accord.discord.rules import changes, once_each, one_of
from accord.engine import Effect, Field, Toolset

tools = Toolset("application", fence="untrusted_discord")

OWN = needs(reach="bot")
"""It is the bot's own: no guild grants anything."""

ALL_RULES = (changes("application_id"), once_each("tags", "event_webhooks_types"), installs_somewhere)

Records = Annotated[
    list[MetadataRecord],
    Field(
        max_items=5,
        description="types: integer 1 <=, 2 >=, 3 =, 4 !=; days ago 5 <=, 6 >=; boolean 7 =, 8 !=",
    ),
]


@tools.tool(Effect.READ, say="Application {id}.", facts=OWN)
async def application_get_current(discord: Discord) -> Application:
    """Show the bot's own application: settings, links, owner, how many guilds it is in."""
    return application(await discord.get("/applications/@me", into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed application {id}.",
    checks=ALL_RULES,
    facts=OWN,
    confirm_when=changes_the_application,
)
async def application_modify_current(discord: Discord, **settings: Unpack[ApplicationChanges]) -> Application:
    """Change the bot's own application. What is left out stays."""
    body, _ = changed(settings)
    body = await with_images(discord, body, "icon", "cover_image")
    return application(await discord.patch("/applications/@me", into=Wire, body=body, idempotent=True))


@tools.tool(Effect.READ, say="Application {id}.", facts=OWN)
async def application_get(discord: Discord, application_id: ApplicationId) -> Application:
    """Show an application by its id; Discord lets a bot see its own."""
    return application(await discord.get("/applications/{}", application_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed application {id}.",
    checks=ALL_RULES,
    facts=OWN,
    confirm_when=changes_the_application,
)
async def application_modify(
    discord: Discord, application_id: ApplicationId, **settings: Unpack[ApplicationChanges]
) -> Application:
    """Change an application by its id; Discord lets a bot change its own."""
    body, _ = changed(settings)
    body = await with_images(discord, body, "icon", "cover_image")
    return application(await discord.patch("/applications/{}", application_id, into=Wire, body=body, idempotent=True))


@tools.tool(Effect.READ, say="Application {id}.", facts=OWN)
async def application_get_oauth2(discord: Discord) -> Application:
    """Show the application that the bot's token belongs to, as OAuth2 tells it."""
    return application(await discord.get("/oauth2/applications/@me", into=Wire))


@tools.tool(Effect.READ, say="Token for application {application_id}.", facts=needs(auth="bearer", reach="none"))
async def application_get_authorization(discord: Discord, bearer_token: BearerToken) -> Authorization:
    """Show what a user's OAuth2 token is good for: scopes, expiry, application, user."""
    discord = discord.as_user(bearer_token)
    return authorization(await discord.get("/oauth2/@me", into=Wire))


@tools.tool(
    Effect.CREATE,
    say="Uploaded attachment {id}, {size} bytes.",
    checks=(one_of("file", "text"),),
    facts=OWN,
)
async def application_upload_attachment(
    discord: Discord, application_id: ApplicationId | None = None, **file: Unpack[OneFile]
) -> UploadedAttachment:
    """Upload a file that the application's activity can show: one of the upload folder, or a text. Its link expires."""
    own = await application_of(discord, application_id)
    upload = await file_of(discord, file, path="file", field_name="file")
    sent = await discord.post("/applications/{}/attachment", own, into=Wire, files=(upload,))
    return picked(UploadedAttachment, sent["attachment"])


@tools.tool(Effect.READ, say="Records: {count}.", facts=OWN)
async def application_get_role_connection_metadata(
    discord: Discord, application_id: ApplicationId | None = None
) -> MetadataRecords:
    """List what the application can tell of members, for linked roles."""
    own = await application_of(discord, application_id)
    return metadata_records(await discord.get("/applications/{}/role-connections/metadata", own, into=list[Wire]))


@tools.tool(Effect.UPDATE, say="Records now: {count}.", checks=(keys_are_unique,), facts=OWN)
async def application_modify_role_connection_metadata(
    discord: Discord, records: Records, application_id: ApplicationId | None = None
) -> MetadataRecords:
    """Replace all that the application can tell of members: records that are not listed go."""
    own = await application_of(discord, application_id)
    body = list(records)
    sent = await discord.put("/applications/{}/role-connections/metadata", own, into=list[Wire], body=body)
    return metadata_records(sent)


@tools.tool(Effect.READ, say="Activity of application {application_id}.", facts=OWN)
async def application_get_activity_instance(
    discord: Discord, instance_id: ActivityInstanceId, application_id: ApplicationId | None = None
) -> ActivityInstance:
    """Show a running activity: where it is and who is in it."""
    own = await application_of(discord, application_id)
    sent = await discord.get("/applications/{}/activity-instances/{}", own, instance_id, into=Wire)
    return picked(ActivityInstance, sent)


@tools.tool(Effect.READ, say="Where the gateway is.", facts=needs(auth="none", reach="none"))
async def application_get_gateway(discord: Discord) -> Gateway:
    """Show the gateway's WebSocket address; it needs no token."""
    discord = discord.as_nobody()
    return picked(Gateway, await discord.get("/gateway", into=Wire))


@tools.tool(Effect.READ, say="Shards proposed: {shards}.", facts=OWN)
async def application_get_gateway_bot(discord: Discord) -> GatewayBot:
    """Show how many shards Discord proposes, and how often the bot may still connect today."""
    return picked(GatewayBot, await discord.get("/gateway/bot", into=Wire))


@tools.tool(Effect.READ, say="Keys: {count}.", facts=needs(auth="none", reach="none"))
async def application_get_public_keys(discord: Discord) -> PublicKeys:
    """List the public keys (JWK) with which Discord signs identity tokens; it needs no token."""
    discord = discord.as_nobody()
    keys = (await discord.get("/oauth2/keys", into=Wire))["keys"]
    return {"items": each_picked(PublicKey, keys), "count": len(keys), **WHOLE}
