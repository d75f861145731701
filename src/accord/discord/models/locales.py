"""Discord's languages, and texts in several of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["Locale"]

Locale: TypeAlias = Literal[
    "ar", "bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
]  # fmt: skip
"""https://discord.com/developers/docs/reference#locales, and two more that Discord's API takes."""
