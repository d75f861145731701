"""What must fit together in an application's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from accord.engine import Issue

__all__ = ["installs_somewhere", "keys_are_unique"]


def installs_somewhere(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse a configuration of no kind of place, and scopes that are named twice."""
    places = arguments.get("integration_types_config", {"0": {}})
    if not places:
        yield Issue(path="integration_types_config", message="needs 0 (guilds) or 1 (users)", code="too_small")
    params = {f"integration_types_config.{one}": place.get("oauth2_install_params") for one, place in places.items()}
    for path, asked in {**params, "install_params": arguments.get("install_params")}.items():
        if asked and len(set(asked["scopes"])) < len(asked["scopes"]):
            yield Issue(path=path, message="names a scope twice", code="duplicate")


def keys_are_unique(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse two records of one key."""
    keys = [record["key"] for record in arguments["records"]]
    for number, key in enumerate(keys):
        if key in keys[:number]:
            yield Issue(path=f"records[{number}].key", message="is the key of another record", code="duplicate")
