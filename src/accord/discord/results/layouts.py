"""Layouts as our tools tell of them."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.components.validator import Fault, counted, read_layout
from accord.discord.models.components import Component
from accord.discord.models.layouts import LayoutCheck, LayoutFault

__all__ = ["layout_check"]


def layout_check(components: Sequence[Component]) -> LayoutCheck:
    """Return whether a layout can be sent, and what is wrong with it."""
    issues = [_fault(one) for one in read_layout(components).faults]
    return {"valid": not issues, "issues": issues, "component_count": counted(components)}


def _fault(fault: Fault) -> LayoutFault:
    return {"code": fault.code, "path": fault.path, "message": fault.message, "fix": fault.fix}
