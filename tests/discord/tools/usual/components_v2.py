"""Usual calls of components_v2."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusal, Refusals, not_found, own_message

from accord.discord.sandbox import demo

__all__ = ["EXAMPLES", "REFUSED"]

TEXT: Arguments = {"type": 10, "content": "## Lanterns"}
THUMBNAIL: Arguments = {"type": 11, "media": {"url": "https://weather.example/map.png"}}
LAYOUT: list[Arguments] = [{"type": 17, "accent_color": 0x1ABC9C, "components": [TEXT]}]
NEWS = {"title": "Lanterns", "body": "Six works.", "cta_label": "Read", "cta_url": "https://lanterns.example"}

EXAMPLES: Examples = {
    "components_v2_build_container": lambda _: {"components": [TEXT], "accent_color": "#1ABC9C"},
    "components_v2_build_section": lambda _: {"text": ["## Lanterns"], "accessory": THUMBNAIL},
    "components_v2_build_media_gallery": lambda _: {"items": [{"url": "https://weather.example/map.png"}]},
    "components_v2_validate": lambda _: {"components": LAYOUT},
    "components_v2_preview": lambda _: {"components": LAYOUT},
    "components_v2_send": lambda _: {"channel_id": demo.GENERAL, "components": LAYOUT},
    "components_v2_edit": lambda sandbox: {**own_message(sandbox), "components": LAYOUT},
    "components_v2_send_from_template": lambda _: {
        "channel_id": demo.GENERAL,
        "template": "announcement",
        "vars": NEWS,
    },
}

REFUSED: Refusals = {
    "components_v2_build_container": Refusal({"components": [THUMBNAIL]}, "VALIDATION_FAILED"),
    "components_v2_build_section": Refusal({"text": ["x"], "accessory": TEXT}, "VALIDATION_FAILED"),
    "components_v2_build_media_gallery": Refusal({"items": []}, "VALIDATION_FAILED"),
    "components_v2_validate": Refusal({"components": ["x"]}, "VALIDATION_FAILED"),
    "components_v2_preview": Refusal({"components": ["x"]}, "VALIDATION_FAILED"),
    "components_v2_send": not_found({"channel_id": MISSING, "components": LAYOUT}),
    "components_v2_edit": not_found({"channel_id": MISSING, "message_id": MISSING, "components": LAYOUT}),
    "components_v2_send_from_template": not_found({"channel_id": MISSING, "template": "announcement", "vars": NEWS}),
}
