"""Usual calls of application."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Examples, Refusal, Refusals, not_found, not_own
from tests.discord.tools.usual.commands import DEAD_TOKEN, user_token

from accord.discord.sandbox import demo, demo_application

__all__ = ["EXAMPLES", "REFUSED"]

RECORD = {"type": 7, "key": "trained", "name": "Trained", "description": "Knows the laser cutter"}
NO_APPLICATION = {"application_id": MISSING}

EXAMPLES: Examples = {
    "application_get_current": lambda _: {},
    "application_modify_current": lambda _: {"description": "Lights lanterns.", "tags": ["lanterns", "light"]},
    "application_get": lambda _: {"application_id": demo.APPLICATION},
    "application_modify": lambda _: {"application_id": demo.APPLICATION, "max_participants": 8, "__confirm": True},
    "application_get_oauth2": lambda _: {},
    "application_get_authorization": lambda sandbox: {"bearer_token": user_token(sandbox)},
    "application_upload_attachment": lambda _: {"text": "six bulbs", "filename": "list.txt"},
    "application_get_role_connection_metadata": lambda _: {},
    "application_modify_role_connection_metadata": lambda _: {"records": [RECORD]},
    "application_get_activity_instance": lambda _: {"instance_id": demo_application.ACTIVITY},
    "application_get_gateway": lambda _: {},
    "application_get_gateway_bot": lambda _: {},
    "application_get_public_keys": lambda _: {},
}

REFUSED: Refusals = {
    "application_get_current": Refusal(NO_APPLICATION, "VALIDATION_FAILED"),
    "application_modify_current": Refusal({"description": "x" * 401}, "VALIDATION_FAILED"),
    "application_get": not_own(NO_APPLICATION),
    "application_modify": not_own({**NO_APPLICATION, "description": "Lights lanterns."}),
    "application_get_oauth2": Refusal(NO_APPLICATION, "VALIDATION_FAILED"),
    "application_get_authorization": Refusal({"bearer_token": DEAD_TOKEN}, "DISCORD_AUTH_INVALID"),
    "application_upload_attachment": not_own({**NO_APPLICATION, "text": "six bulbs"}),
    "application_get_role_connection_metadata": not_own(NO_APPLICATION),
    "application_modify_role_connection_metadata": not_own({**NO_APPLICATION, "records": []}),
    "application_get_activity_instance": not_found({"instance_id": "i-1-gc-2-3"}),
    "application_get_gateway": Refusal(NO_APPLICATION, "VALIDATION_FAILED"),
    "application_get_gateway_bot": Refusal(NO_APPLICATION, "VALIDATION_FAILED"),
    "application_get_public_keys": Refusal(NO_APPLICATION, "VALIDATION_FAILED"),
}
