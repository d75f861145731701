"""`--version`, as every command has it."""

from __future__ import annotations

from typing import Annotated

import typer

from accord import __version__

__all__ = ["VersionFlag"]


def _show(wanted: bool) -> None:  # noqa: FBT001 - what a flag's callback is called with
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


VersionFlag = Annotated[bool, typer.Option("--version", "-V", help="Print the version.", callback=_show, is_eager=True)]
