"""lobbies: players of the application's game that are together."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.conditions import always, as_long_as, takes_players_out
from accord.discord.models.ids import LobbyId, MessageId, UserId
from accord.discord.models.lobbies import (
    Lobby,
    LobbyChanges,
    LobbyDeleted,
    LobbyInvite,
    LobbyMember,
    LobbyMemberRemoved,
    LobbyMembers,
    MemberFields,
    MemberUpdate,
    Moderated,
    Moderation,
    NewLobby,
    metadata_fits,
    moderation_fits,
)
from accord.discord.models.values import Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.picking import each_picked, picked
from accord.discord.rules import changes
from accord.engine import Effect, Field, Toolset

tools = Toolset("lobbies", fence="untrusted_discord")

OWN = needs(reach="bot")
"""A lobby is its application's: no guild grants anything."""


@tools.tool(Effect.CREATE, say="Created lobby {id}.", checks=(metadata_fits,), facts=OWN)
async def lobbies_create(discord: Discord, **new: Unpack[NewLobby]) -> Lobby:
    """Open a lobby for the application's game. Players cannot join it by themselves; put them in."""
    body, _ = given(new)
    return picked(Lobby, await discord.post("/lobbies", into=Wire, body=body))


@tools.tool(Effect.READ, say="Lobby {id}.", facts=OWN)
async def lobbies_get(discord: Discord, lobby_id: LobbyId) -> Lobby:
    """Fetch a lobby of the application's game: members, metadata, linked channel."""
    return picked(Lobby, await discord.get("/lobbies/{}", lobby_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed lobby {id}.",
    checks=(changes("lobby_id"), metadata_fits),
    facts=OWN,
    confirm_when=as_long_as("members", "players who are not listed are taken out"),
)
async def lobbies_modify(discord: Discord, lobby_id: LobbyId, **new: Unpack[LobbyChanges]) -> Lobby:
    """Change a lobby. What is left out stays; members and metadata that are given replace all there were."""
    body, _ = changed(new)
    return picked(Lobby, await discord.patch("/lobbies/{}", lobby_id, into=Wire, body=body, idempotent=True))


@tools.tool(Effect.DELETE, say="Deleted lobby {lobby_id}.", facts=OWN)
async def lobbies_delete(discord: Discord, lobby_id: LobbyId) -> LobbyDeleted:
    """Close a lobby for good; its players are thrown out."""
    await discord.do("DELETE", "/lobbies/{}", lobby_id)
    return {"deleted": True, "lobby_id": lobby_id}


@tools.tool(Effect.UPDATE, say="Member {id} is in the lobby.", checks=(metadata_fits,), facts=OWN)
async def lobbies_add_member(
    discord: Discord, lobby_id: LobbyId, user_id: UserId, **member: Unpack[MemberFields]
) -> LobbyMember:
    """Put a player into a lobby, or change what it knows of one who is there."""
    body, _ = given(member)
    return picked(LobbyMember, await discord.put("/lobbies/{}/members/{}", lobby_id, user_id, into=Wire, body=body))


@tools.tool(
    Effect.UPDATE,
    say="Members put into lobby {lobby_id}: {count}.",
    checks=(metadata_fits,),
    facts=OWN,
    confirm_when=takes_players_out,
)
async def lobbies_update_members(
    discord: Discord,
    lobby_id: LobbyId,
    members: Annotated[list[MemberUpdate], Field(min_items=1, max_items=25, description="remove_member takes one out")],
) -> LobbyMembers:
    """Put up to 25 players into a lobby, change them, or take them out, in one go."""
    sent = await discord.post(
        "/lobbies/{}/members/bulk", lobby_id, into=list[Wire], body=list(members), idempotent=True
    )
    kept = each_picked(LobbyMember, sent or ())
    return {"items": kept, "count": len(kept), "lobby_id": lobby_id}


@tools.tool(
    Effect.UPDATE,
    say="Member {user_id} is not in lobby {lobby_id}.",
    facts=OWN,
    confirm_when=always("it takes a player out of the lobby"),
)
async def lobbies_remove_member(discord: Discord, lobby_id: LobbyId, user_id: UserId) -> LobbyMemberRemoved:
    """Take a player out of a lobby."""
    await discord.do("DELETE", "/lobbies/{}/members/{}", lobby_id, user_id)
    return {"removed": True, "lobby_id": lobby_id, "user_id": user_id}


@tools.tool(Effect.CREATE, say="Invited {user_id}.", facts=needs(guild="lobby", reach="bot"))
async def lobbies_create_invite_for_user(discord: Discord, lobby_id: LobbyId, user_id: UserId) -> LobbyInvite:
    """Make an invite, for one member of a lobby, to the guild of the channel that the lobby is linked to."""
    sent = await discord.post("/lobbies/{}/members/{}/invites", lobby_id, user_id, into=Wire)
    return {"invite_code": sent["code"], "url": f"https://discord.gg/{sent['code']}", "user_id": user_id}


@tools.tool(Effect.UPDATE, say="Moderated message {message_id}.", checks=(moderation_fits,), facts=OWN)
async def lobbies_moderate_message(
    discord: Discord, lobby_id: LobbyId, message_id: MessageId, metadata: Moderation
) -> Moderated:
    """Tell players' games how a lobby message was moderated, in words that the game understands."""
    await discord.do("PUT", "/lobbies/{}/messages/{}/moderation-metadata", lobby_id, message_id, body=metadata)
    return {"moderated": True, "lobby_id": lobby_id, "message_id": message_id}
