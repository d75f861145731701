"""A client of deside-mcp for programs: sign in with a wallet, call tools, send, and watch what arrives.

    from accord.deside.client import Client, LocalWallet, Watch

    async with Client.connect("http://127.0.0.1:3100", LocalWallet.load(path)) as deside:
        await deside.sign_in()
        await deside.send("9xQ…", "hello")
        async for arrived in Watch(deside).arrivals():
            print(arrived.facts["sender"], arrived.facts["content"])

It shares no code with the server: a client that knew the server's mind would hide its mistakes.
"""

from __future__ import annotations

from accord.deside.client.client import Client, conversation_of
from accord.deside.client.errors import (
    DesideError,
    NotSignedInError,
    RefusedError,
    ToolFailedError,
    UnreachableError,
    UntrustworthyError,
    WalletFileError,
)
from accord.deside.client.tokens import Grant, GrantFile, GrantInMemory, GrantStore
from accord.deside.client.wallet import LocalWallet
from accord.deside.client.watching import Arrived, Progress, Watch

__all__ = [
    "Arrived",
    "Client",
    "DesideError",
    "Grant",
    "GrantFile",
    "GrantInMemory",
    "GrantStore",
    "LocalWallet",
    "NotSignedInError",
    "Progress",
    "RefusedError",
    "ToolFailedError",
    "UnreachableError",
    "UntrustworthyError",
    "WalletFileError",
    "Watch",
    "conversation_of",
]
