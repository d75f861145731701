"""The commands that print, on typer and rich."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from accord.terminal.version import VersionFlag

__all__ = ["app"]

app = typer.Typer(
    name="discord-mcp",
    help="Discord for AI agents over MCP. Without a command it serves stdio.",
    add_completion=True,
    no_args_is_help=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SandboxFlag = Annotated[bool, typer.Option("--sandbox", help="Use an embedded Discord instead of the real one.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def _root(version: VersionFlag = False) -> None:
    """Discord for AI agents over MCP. Without a command it serves stdio."""


@app.command()
def serve(  # noqa: PLR0917 - typer's way to declare options
    sandbox: SandboxFlag = False,
    http: Annotated[bool, typer.Option("--http", help="Serve Streamable HTTP instead, at /mcp.")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on, 127.0.0.1 unless given.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on, 3000 unless given.", min=0, max=65535)] = None,
    allowed_host: Annotated[list[str] | None, typer.Option(help="Name it is called under; may be repeated.")] = None,
    allowed_origin: Annotated[
        list[str] | None, typer.Option(help="Web page that may call it, as https://app.example.test; may be repeated.")
    ] = None,
) -> None:
    """Serve MCP on stdin and stdout, as hosts start it, or over HTTP."""
    given = {"host": host, "port": port, "allowed_hosts": allowed_host, "allowed_origins": allowed_origin}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if http:
        from accord.discord.cli.http import PORT, Address, serve_http  # noqa: PLC0415 - only what this command needs

        raise typer.Exit(serve_http(Address(**{"port": PORT, **options}), sandbox=sandbox))
    if options:
        raise typer.BadParameter("where to listen and who may call are only for --http")
    from accord.discord.cli.serving import serve as run  # noqa: PLC0415 - as above

    raise typer.Exit(run(sandbox=sandbox))


@app.command()
def sandbox(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 takes a free one.", min=0, max=65535)] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Run the embedded Discord by itself, for any Discord library."""
    from accord.discord.cli.sandboxing import run  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(run(port, as_json=as_json)))


@app.command()
def tools(
    name: Annotated[str | None, typer.Argument(help="Show this tool whole.", show_default=False)] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the tools, or show one."""
    from accord.discord.cli.showing import show_all, show_one  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(show_one(name, as_json=as_json) if name else show_all(as_json=as_json))


tokens = typer.Typer(help="Give out access tokens for `serve --http`, and take them back.", no_args_is_help=True)
app.add_typer(tokens, name="tokens")

TokenName = Annotated[str, typer.Argument(help="Lower-case letters, digits and -.", show_default=False)]


@tokens.command("add")
def add_token(
    name: TokenName,
    read_only: Annotated[bool, typer.Option("--read-only", help="Let it write nothing.")] = False,
    write: Annotated[
        list[str] | None,
        typer.Option(help="CATEGORY or CATEGORY:CHANNEL_ID: let it write only there; may be repeated."),
    ] = None,
    quota: Annotated[
        list[str] | None,
        typer.Option(help="60/h, 10/m, 5/d: writes at most; 5/d:NAME for one tool or category; may be repeated."),
    ] = None,
    expires: Annotated[str | None, typer.Option(help="When it runs out: 90m, 12h, 30d.")] = None,
) -> None:
    """Make an access token and print it, once. Without options it may do what the server allows."""
    from accord.discord.cli.tokens import add, wish_of  # noqa: PLC0415 - only what this command needs

    try:
        wish = wish_of(read_only=read_only, writes=write or (), quotas=quota or (), expires=expires)
        code = asyncio.run(add(name, wish))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    raise typer.Exit(code)


@tokens.command("list")
def list_tokens(as_json: JsonFlag = False) -> None:
    """List the tokens, each with its rights and its last use."""
    from accord.discord.cli.tokens import show_all  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(show_all(as_json=as_json)))


@tokens.command("revoke")
def revoke_token(name: TokenName) -> None:
    """Take a token back: its next request is refused."""
    from accord.discord.cli.tokens import revoke  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(revoke(name)))


audit = typer.Typer(help="Check and read the file of audit records.", no_args_is_help=True)
app.add_typer(audit, name="audit")

AuditFile = Annotated[
    Path | None, typer.Argument(help="The file; by default that of MCP_AUDIT_FILE.", show_default=False)
]


@audit.command("verify")
def verify_audit(file: AuditFile = None, as_json: JsonFlag = False) -> None:
    """Check that no line was changed, removed or put in between."""
    from accord.discord.cli.auditing import check  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(check(file, as_json=as_json))


@audit.command("show")
def show_audit(  # noqa: PLR0917 - typer's way to declare options
    file: AuditFile = None,
    last: Annotated[int, typer.Option(help="How many, from the end.", min=1)] = 50,
    tool: Annotated[str | None, typer.Option(help="Of this tool only.")] = None,
    outcome: Annotated[str | None, typer.Option(help="success, refused, failed, unknown or intended.")] = None,
    caller: Annotated[str | None, typer.Option(help="Of this caller only, such as token:ci.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the last records."""
    from accord.discord.cli.auditing import show  # noqa: PLC0415 - only what this command needs

    wanted = {"tool": tool, "outcome": outcome, "caller": caller}
    given = {name: value for name, value in wanted.items() if value is not None}
    raise typer.Exit(show(file, last=last, wanted=given, as_json=as_json))


approvals = typer.Typer(help="See what waits for a person's decision, and decide.", no_args_is_help=True)
app.add_typer(approvals, name="approvals")

ApprovalId = Annotated[str, typer.Argument(help="Its id, as the list or the caller shows it.", show_default=False)]


@approvals.command("list")
def list_approvals(as_json: JsonFlag = False) -> None:
    """List the calls that wait for a decision."""
    from accord.discord.cli.approvals import show_all  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(show_all(as_json=as_json)))


@approvals.command("show")
def show_approval(approval_id: ApprovalId, as_json: JsonFlag = False) -> None:
    """Show one call whole, with all of its arguments."""
    from accord.discord.cli.approvals import show_one  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(show_one(approval_id, as_json=as_json)))


@approvals.command("approve")
def approve(approval_id: ApprovalId) -> None:
    """Let the call run, once, when it is made again."""
    from accord.discord.cli.approvals import decide  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(decide(approval_id, "approved")))


@approvals.command("deny")
def deny(approval_id: ApprovalId) -> None:
    """Refuse the call."""
    from accord.discord.cli.approvals import decide  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(decide(approval_id, "denied")))


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="The tool's name.", show_default=False)],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="key=value each; lists and objects as JSON text.", show_default=False)
    ] = None,
    sandbox: SandboxFlag = False,
) -> None:
    """Call one tool, behind the same gates, and print its result as JSON."""
    from accord.discord.cli.calling import run  # noqa: PLC0415 - only what this command needs
    from accord.terminal.arguments import arguments_of  # noqa: PLC0415 - the same

    try:
        given = arguments_of(arguments or ())
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    raise typer.Exit(asyncio.run(run(tool, given, sandbox=sandbox)))
