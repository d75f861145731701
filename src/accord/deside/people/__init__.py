"""People: the wallets that have signed in, their profiles, whom they let write, whom they block."""

from accord.deside.people.profiles import Shown, shown
from accord.deside.people.registry import register, set_role
from accord.deside.people.service import People

__all__ = ["People", "Shown", "register", "set_role", "shown"]
