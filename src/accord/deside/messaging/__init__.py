"""Direct messages: conversations, contact requests, limits, sync and notifications."""

from accord.deside.messaging.letters import Limits
from accord.deside.messaging.requests import drop
from accord.deside.messaging.service import Messaging
from accord.deside.messaging.telling import Tell

__all__ = ["Limits", "Messaging", "Tell", "drop"]
