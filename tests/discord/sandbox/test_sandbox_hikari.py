"""A client that this project did not write drives the sandbox, to see that it takes it for Discord."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hikari
import pytest

from accord.discord.sandbox import Sandbox, demo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from hikari.api import RESTClient


@pytest.fixture
async def rest(sandbox: Sandbox) -> AsyncIterator[RESTClient]:
    app = hikari.RESTApp(url=f"{sandbox.base_url}/v10")
    await app.start()
    async with app.acquire(sandbox.token, hikari.TokenType.BOT) as client:
        yield client
    await app.close()


async def test_hikari_reads_the_guild_and_its_channels(rest: RESTClient) -> None:
    me = await rest.fetch_my_user()
    guild = await rest.fetch_guild(int(demo.GUILD))
    channels = await rest.fetch_guild_channels(int(demo.GUILD))

    assert (str(me.id), guild.name, str(guild.owner_id)) == (demo.BOT, "Lantern Workshop", demo.MAYA)
    assert {type(each) for each in channels} == {
        hikari.GuildCategory,
        hikari.GuildTextChannel,
        hikari.GuildNewsChannel,
        hikari.GuildVoiceChannel,
        hikari.GuildForumChannel,
    }


async def test_hikari_pages_through_history_and_members(rest: RESTClient) -> None:
    messages = [each async for each in rest.fetch_messages(int(demo.GENERAL))]
    members = [each async for each in rest.fetch_members(int(demo.GUILD))]
    guilds = [each async for each in rest.fetch_my_guilds()]

    assert messages[0].content == "Six works. I will bring tea."
    assert any(each.attachments for each in messages)
    assert any(each.referenced_message for each in messages)
    assert (len(members), len(guilds)) == (5, 2)


async def test_hikari_sends_replies_edits_reacts_and_deletes(rest: RESTClient) -> None:
    channel = int(demo.GENERAL)
    sent = await rest.create_message(channel, "hello", attachment=hikari.Bytes(b"bytes", "a.txt"))
    reply = await rest.create_message(channel, "and hello", reply=sent, embed=hikari.Embed(title="t"))
    edited = await rest.edit_message(channel, sent, "hello!")
    await rest.add_reaction(channel, sent, "👍")
    await rest.add_reaction(channel, sent, "blob", int(demo.BLOB))
    read = await rest.fetch_message(channel, sent)
    await rest.delete_message(channel, sent)

    assert reply.referenced_message is not None
    assert reply.referenced_message.id == sent.id
    assert (edited.content, sent.attachments[0].filename) == ("hello!", "a.txt")
    assert [each.count for each in read.reactions] == [1, 1]
    with pytest.raises(hikari.NotFoundError):
        await rest.fetch_message(channel, sent)


async def test_hikari_works_with_threads_pins_roles_and_the_audit_log(rest: RESTClient) -> None:
    guild, channel = int(demo.GUILD), int(demo.GENERAL)
    role = await rest.create_role(guild, name="Helper", reason="for the market")
    thread = await rest.create_thread(channel, hikari.ChannelType.GUILD_PUBLIC_THREAD, "Plans")
    message = await rest.create_message(thread, "first")
    await rest.pin_message(thread, message)
    await rest.edit_channel(channel, topic="Lights")
    pages = [each async for each in rest.fetch_audit_log(guild)]

    assert role.name == "Helper"
    assert isinstance(thread, hikari.GuildPublicThread)
    assert "for the market" in [entry.reason for page in pages for entry in page.entries.values()]


async def test_hikari_tells_refusals_apart(rest: RESTClient) -> None:
    with pytest.raises(hikari.ForbiddenError):
        await rest.create_message(int(demo.ANNOUNCEMENTS), "x")
    with pytest.raises(hikari.ForbiddenError):
        await rest.fetch_channel(int(demo.STAFF))
    with pytest.raises(hikari.NotFoundError):
        await rest.fetch_channel(1)
    with pytest.raises(hikari.BadRequestError) as refused:
        await rest.create_message(int(demo.GENERAL), "x" * 2001)
    assert refused.value.code == 50035


async def test_hikari_is_unauthorized_with_another_token(sandbox: Sandbox) -> None:
    app = hikari.RESTApp(url=f"{sandbox.base_url}/v10")
    await app.start()
    async with app.acquire("another", hikari.TokenType.BOT) as client:
        with pytest.raises(hikari.UnauthorizedError):
            await client.fetch_my_user()
    await app.close()


async def test_hikari_waits_out_a_rate_limit_and_a_server_error(sandbox: Sandbox, rest: RESTClient) -> None:
    sandbox.fail("GET /users/@me", "rate_limited", retry_after=0.01)
    sandbox.fail("GET /users/@me", "bad_gateway_html")

    assert str((await rest.fetch_my_user()).id) == demo.BOT
