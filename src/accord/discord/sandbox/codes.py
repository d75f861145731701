"""The JSON error codes of Discord's API that the sandbox answers with, each with its HTTP status and message."""

# Source of the rows: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Code:
    """One row: `number` is the body's `code`, 0 where Discord gives only the HTTP status."""

    number: int
    status: int
    message: str


class Refused(Exception):  # noqa: N818 - it is an answer of the API, not a fault of the program
    """The API's refusal of a request; `errors` is the tree of field errors that 50035 carries."""

    def __init__(self, code: Code, errors: dict[str, Any] | None = None) -> None:
        """Say which row, and which fields were wrong."""
        super().__init__(code.message)
        self.code = code
        self.errors = errors

    @property
    def body(self) -> dict[str, Any]:
        """The JSON body that tells a client of this refusal."""
        body: dict[str, Any] = {"message": self.code.message, "code": self.code.number}
        return body if self.errors is None else body | {"errors": self.errors}


UNAUTHORIZED = Code(0, 401, "401: Unauthorized")
NOT_FOUND = Code(0, 404, "404: Not Found")
METHOD_NOT_ALLOWED = Code(0, 405, "405: Method Not Allowed")

UNKNOWN_APPLICATION = Code(10002, 404, "Unknown Application")
UNKNOWN_CHANNEL = Code(10003, 404, "Unknown Channel")
UNKNOWN_GUILD = Code(10004, 404, "Unknown Guild")
UNKNOWN_INTEGRATION = Code(10005, 404, "Unknown Integration")
UNKNOWN_INVITE = Code(10006, 404, "Unknown Invite")
UNKNOWN_MEMBER = Code(10007, 404, "Unknown Member")
UNKNOWN_MESSAGE = Code(10008, 404, "Unknown Message")
UNKNOWN_OVERWRITE = Code(10009, 404, "Unknown Permission Overwrite")
UNKNOWN_ROLE = Code(10011, 404, "Unknown Role")
UNKNOWN_USER = Code(10013, 404, "Unknown User")
UNKNOWN_EMOJI = Code(10014, 400, "Unknown Emoji")
NO_SUCH_EMOJI = Code(10014, 404, "Unknown Emoji")
UNKNOWN_WEBHOOK = Code(10015, 404, "Unknown Webhook")
UNKNOWN_BAN = Code(10026, 404, "Unknown Ban")
UNKNOWN_SKU = Code(10027, 404, "Unknown SKU")
UNKNOWN_ENTITLEMENT = Code(10029, 404, "Unknown Entitlement")
UNKNOWN_LOBBY = Code(10031, 404, "Unknown lobby")
UNKNOWN_TEMPLATE = Code(10057, 404, "Unknown Guild Template")
UNKNOWN_STICKER = Code(10060, 404, "Unknown sticker")
UNKNOWN_STICKER_PACK = Code(10061, 404, "Unknown sticker pack")
UNKNOWN_INTERACTION = Code(10062, 404, "Unknown interaction")
UNKNOWN_COMMAND = Code(10063, 404, "Unknown application command")
UNKNOWN_VOICE_STATE = Code(10065, 404, "Unknown Voice State")
UNKNOWN_COMMAND_PERMISSIONS = Code(10066, 404, "Unknown application command permissions")
UNKNOWN_STAGE = Code(10067, 404, "Unknown Stage Instance")
UNKNOWN_WELCOME_SCREEN = Code(10069, 404, "Unknown Guild Welcome Screen")
UNKNOWN_EVENT = Code(10070, 404, "Unknown guild scheduled event")
UNKNOWN_SUBSCRIPTION = Code(10102, 404, "Unknown subscription")
UNKNOWN_SOUND = Code(10097, 404, "Unknown sound")

NOT_FOR_BOTS = Code(20001, 403, "Bots cannot use this endpoint")

MAXIMUM_PINS = Code(30003, 400, "Maximum number of pins reached for the channel (250)")
MAXIMUM_ROLES = Code(30005, 400, "Maximum number of guild roles reached (250)")
MAXIMUM_WEBHOOKS = Code(30007, 400, "Maximum number of webhooks reached (15)")
MAXIMUM_EMOJIS = Code(30008, 400, "Maximum number of emojis reached (50)")
MAXIMUM_REACTIONS = Code(30010, 400, "Maximum number of reactions reached (20)")
MAXIMUM_CHANNELS = Code(30013, 400, "Maximum number of guild channels reached (500)")
MAXIMUM_ANIMATED_EMOJIS = Code(30018, 400, "Maximum number of animated emojis reached (50)")
TEMPLATE_EXISTS = Code(30031, 400, "A server already has a template")
MAXIMUM_STICKERS = Code(30039, 400, "Maximum number of stickers reached (5)")
MAXIMUM_COMMANDS = Code(30032, 400, "Maximum number of application commands reached")
MAXIMUM_EVENTS = Code(30038, 400, "Maximum number of uncompleted guild scheduled events reached (100)")

MAXIMUM_SOUNDS = Code(30045, 400, "Maximum number of soundboard sounds reached")

REQUEST_TOO_LARGE = Code(40005, 413, "Request entity too large")
NOT_IN_VOICE = Code(40032, 400, "Target user is not connected to voice")
ALREADY_CROSSPOSTED = Code(40033, 400, "This message has already been crossposted")
ALREADY_ACKNOWLEDGED = Code(40060, 400, "Interaction has already been acknowledged.")
TAG_REQUIRED = Code(40067, 400, "A tag is required to create a forum post in this channel")

MISSING_ACCESS = Code(50001, 403, "Missing Access")
WIDGET_DISABLED = Code(50004, 403, "Widget Disabled")
NOT_YOUR_MESSAGE = Code(50005, 403, "Cannot edit a message authored by another user")
EMPTY_MESSAGE = Code(50006, 400, "Cannot send an empty message")
CANNOT_DM = Code(50007, 403, "Cannot send messages to this user")
NOT_A_TEXT_CHANNEL = Code(50008, 400, "Cannot send messages in a non-text channel")
MISSING_PERMISSIONS = Code(50013, 403, "Missing Permissions")
SYSTEM_MESSAGE = Code(50021, 403, "Cannot execute action on a system message")
WRONG_CHANNEL_TYPE = Code(50024, 403, "Cannot execute action on this channel type")
INVALID_WEBHOOK_TOKEN = Code(50027, 401, "Invalid Webhook Token")
INVALID_ROLE = Code(50028, 400, "Invalid Role")
TOO_OLD_TO_BULK_DELETE = Code(50034, 400, "You can only bulk delete messages that are under 14 days old.")
INVALID_FORM = Code(50035, 400, "Invalid Form Body")
FILE_TOO_LARGE = Code(50045, 400, "File uploaded exceeds the maximum size")
INVALID_FILE = Code(50046, 400, "Invalid file uploaded")
INVALID_STICKER = Code(50081, 400, "Invalid sticker sent")
ARCHIVED_THREAD = Code(50083, 400, "Thread is archived")
INVALID_JSON = Code(50109, 400, "The request body contains invalid JSON.")

REPLY_NEEDS_HISTORY = Code(160002, 400, "Cannot reply without permission to read message history")
THREAD_EXISTS = Code(160004, 400, "A thread has already been created for this message")
THREAD_LOCKED = Code(160005, 400, "Thread is locked")
MAXIMUM_ACTIVE_THREADS = Code(160006, 400, "Maximum number of active threads reached (1000)")

POST_NEEDS_THREAD = Code(220001, 400, "Webhooks posted to forum channels must have a thread_name or thread_id")
POST_HAS_TWO_THREADS = Code(
    220002, 400, "Webhooks posted to forum channels cannot have both a thread_name and thread_id"
)
POST_OUTSIDE_OF_FORUM = Code(220003, 400, "Webhooks can only create threads in forum channels")

FINISHED_EVENT = Code(180000, 400, "Cannot update a finished event")
EMPTY_EXCEPTION = Code(180005, 400, "An exception needs a time or a cancellation")
ONBOARDING_INCOMPLETE = Code(350000, 400, "Cannot enable onboarding, requirements are not met")
POLL_EXPIRED = Code(520001, 400, "Poll expired")
NO_POLL = Code(520006, 400, "Cannot expire a non-poll message")

STAGE_IS_LIVE = Code(150006, 400, "The Stage is already open")
FAILED_TO_BAN = Code(500000, 400, "Failed to ban users")
