"""Text that somebody in a conversation wrote is fenced, so that a model can tell it from what the server says."""

from __future__ import annotations

import re
import secrets

__all__ = ["fenced", "visible"]

_INVISIBLE = re.compile(
    "[\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that hide text or turn it round: zero-width, bidirectional and terminal controls, blank letters, tags.

They are those of Unicode's Default_Ignorable_Code_Point and Cc that a text can do without; U+FE0F stays: emoji need it.
"""


def visible(json_text: str) -> str:
    """Return JSON text with hidden characters written as escapes, which say the same to a parser."""
    if json_text.isascii() and json_text.isprintable():
        return json_text  # most texts, and the test costs next to nothing
    return _INVISIBLE.sub(_escape, json_text)


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def fenced(json_text: str, tag: str) -> str:
    """Return JSON text between two tags that carry the same unguessable nonce.

    A tag of the same name inside is neutralised by writing its `<` as an escape: the JSON stays the same value.
    """
    nonce = secrets.token_hex(8)
    inside = visible(json_text)
    if "<" in inside:
        inside = re.sub(rf"<(?=\s*/?\s*{tag})", r"\\u003c", inside, flags=re.IGNORECASE)
    return f'<{tag} nonce="{nonce}">\n{inside}\n</{tag} nonce="{nonce}">'
