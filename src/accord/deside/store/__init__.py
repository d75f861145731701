"""What the service keeps: tables, their version, and the database they lie in."""

from accord.deside.store.opening import open_store
from accord.deside.store.schema import SCHEMA_VERSION, bring_up

__all__ = ["SCHEMA_VERSION", "bring_up", "open_store"]
