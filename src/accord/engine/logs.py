"""Logs: a JSON line each, on stderr only, since stdout is the protocol's."""

from __future__ import annotations

import logging
import sys
from typing import Literal

import orjson
import structlog

__all__ = ["Level", "configure_logs"]

Level = Literal["fatal", "error", "warn", "info", "debug", "trace"]

_LEVELS = {"fatal": 50, "error": 40, "warn": 30, "info": 20, "debug": 10, "trace": 5}


def configure_logs(level: Level) -> None:
    """Send all logs of this process to stderr as JSON lines; those of libraries too, from warnings on."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_line),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Library())
    logging.basicConfig(handlers=[handler], level=max(_LEVELS[level], logging.WARNING), force=True)


def _line(event: dict[str, object], **_: object) -> str:
    return orjson.dumps(event, default=str).decode()


class _Library(logging.Formatter):
    """A library's record in the same form."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one JSON line."""
        said = {"event": record.getMessage(), "logger": record.name, "level": record.levelname.lower()}
        trace = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
        return _line({**said, **trace})
