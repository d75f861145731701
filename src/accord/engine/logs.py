"""Logs: structured, through Python's own logging; our commands write them as JSON lines on stderr."""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import orjson
import structlog

__all__ = ["Level", "configure_logs", "logger"]

Level = Literal["fatal", "error", "warn", "info", "debug", "trace"]

_LEVELS = {"fatal": 50, "error": 40, "warn": 30, "info": 20, "debug": 10, "trace": 5}

_SHARED: list[structlog.typing.Processor] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return a logger that takes an event and its facts. Until somebody configures logging it says warnings only."""
    bound: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return bound


def configure_logs(level: Level) -> None:
    """Send all logs of this process to stderr as JSON lines; those of libraries from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_SHARED, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(serializer=_line),
            ],
        )
    )
    logging.raiseExceptions = False  # a line that cannot be written would be told with all that was being handled
    logging.basicConfig(handlers=[handler], level=max(_LEVELS[level], logging.WARNING), force=True)
    logging.getLogger("accord").setLevel(_LEVELS[level])


def _line(event: dict[str, Any], **_: object) -> str:
    return orjson.dumps(event, default=str).decode()
