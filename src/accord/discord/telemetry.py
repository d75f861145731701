"""The collector that the OTEL variables name."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from accord import __version__
from accord.discord.config import Config, ConfigError
from accord.engine import Collector, OtlpAudit, Secret

__all__ = ["headers_of", "otlp_sink"]

AUDIT_LOGGER = "discord-mcp.audit"


def otlp_sink(config: Config) -> OtlpAudit:
    """Return the sink of MCP_AUDIT_SINK=otlp.

    Raises:
        ConfigError: OpenTelemetry's packages are not installed.
    """
    try:
        return OtlpAudit(_collector(config), AUDIT_LOGGER)
    except ValueError as error:
        raise ConfigError({"MCP_AUDIT_SINK": str(error)}) from None


def _collector(config: Config) -> Collector:
    assert config.OTEL_EXPORTER_OTLP_ENDPOINT is not None  # noqa: S101 - the configuration was checked
    return Collector(
        endpoint=config.OTEL_EXPORTER_OTLP_ENDPOINT,
        service=config.OTEL_SERVICE_NAME,
        version=config.OTEL_SERVICE_VERSION or __version__,
        headers=dict(headers_of(config.OTEL_EXPORTER_OTLP_HEADERS)),
    )


def headers_of(pairs: Secret | None) -> Iterator[tuple[str, str]]:
    """Yield names and values of OTEL_EXPORTER_OTLP_HEADERS; a malformed pair is skipped.

    Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables
    """
    for pair in "" if pairs is None else pairs.reveal().split(","):
        name, separator, value = pair.partition("=")
        if separator and name.strip():
            yield name.strip().lower(), unquote(value.strip())
