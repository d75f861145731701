"""The engine over HTTP meets the protocol's own conformance suite, in both eras, but for what it does not serve."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from tests.conformance.server import served
from tests.conformance.suite import Suite

NO_PROMPTS: Final = "prompts are not served"
NO_COMPLETION: Final = "completion is not served: it completes arguments of prompts and resource templates"
NO_LOGGING: Final = "log messages to clients are not served: the protocol gave them up in 2026"
NO_READING: Final = "of resources only changes are served; none is listed or read"
NO_ROOTS: Final = "a client's roots are not asked for: nothing here touches its files"
PLAIN_SCHEMAS: Final = "input schemas stay plain enough for every host: no $defs, no composition, no x-mcp-header"
STEADY_TOOLS: Final = "tools change only with a restart; who serves subscriptions is made to say otherwise by the SDK"
TOOL_RESULT: Final = "a tool that needs the client's model fails as a tool, never as a JSON-RPC error"
OWN_KEYS: Final = "a question's key is ours to choose: it tells the inner calls of one call apart"
NO_STATE: Final = "an answer counts only with our sealed state; without it the person is asked again"

IN_BOTH: Final[Mapping[str, str]] = {
    "prompts-list:prompts-list": NO_PROMPTS,
    "prompts-get-simple:prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args:prompts-get-with-args": NO_PROMPTS,
    "prompts-get-embedded-resource:prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-with-image:prompts-get-with-image": NO_PROMPTS,
    "completion-complete:completion-complete": NO_COMPLETION,
    "resources-read-text:resources-read-text": NO_READING,
    "resources-read-binary:resources-read-binary": NO_READING,
    "resources-templates-read:resources-templates-read": NO_READING,
    "json-schema-2020-12:json-schema-2020-12-tool-found": PLAIN_SCHEMAS,
}

GAPS: Final[Mapping[str, Mapping[str, str]]] = {
    "2025-11-25": {
        **IN_BOTH,
        "logging-set-level:logging-set-level": NO_LOGGING,
        "tools-call-with-logging:tools-call-with-logging": NO_LOGGING,
    },
    "2026-07-28": {
        **IN_BOTH,
        "caching:sep-2549-prompts-list-caching-hints": NO_PROMPTS,
        "caching:sep-2549-resources-templates-list-caching-hints": NO_READING,
        "caching:sep-2549-resources-read-caching-hints": NO_READING,
        "server-stateless:sep-2575-server-sends-prompts-list-changed-on-subscription": NO_PROMPTS,
        "server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription": STEADY_TOOLS,
        "server-stateless:sep-2575-server-rejects-undeclared-capability": TOOL_RESULT,
        "server-stateless:sep-2575-missing-capability-http-400": TOOL_RESULT,
        "input-required-result-non-tool-request:sep-2322-non-tool-incomplete": NO_PROMPTS,
        "input-required-result-basic-list-roots:sep-2322-list-roots-incomplete": NO_ROOTS,
        "input-required-result-multiple-input-requests:sep-2322-multiple-inputs-incomplete": NO_ROOTS,
        "input-required-result-basic-elicitation:sep-2322-elicitation-incomplete": OWN_KEYS,
        "input-required-result-ignore-extra-params:sep-2322-ignore-unexpected-params": NO_STATE,
        "input-required-result-tampered-state:sep-2322-reject-tampered-state": NO_STATE,
        "http-custom-header-server-validation:sep-2243-server-no-xmcp-tool": PLAIN_SCHEMAS,
        "http-custom-header-server-validation:sep-2243-server-decode-base64": PLAIN_SCHEMAS,
        "http-custom-header-server-validation:sep-2243-server-validate-param-match": PLAIN_SCHEMAS,
        "http-custom-header-server-validation:sep-2243-server-reject-invalid-param-chars": PLAIN_SCHEMAS,
        "http-custom-header-server-validation:sep-2243-server-reject-param-mismatch": PLAIN_SCHEMAS,
    },
}
"""What is not met, by the revision and by the suite's name of the check, and why."""

EXTENSION: Final = "tasks-"
"""How the names of scenarios of an extension begin that is optional, and not served."""


@pytest.fixture(scope="session")
def suite() -> Suite:
    return Suite.installed()


@pytest.mark.parametrize("revision", GAPS)
async def test_every_check_of_a_revision_is_met_but_for_what_is_not_served(
    suite: Suite, revision: str, tmp_path: Path
) -> None:
    async with served() as url:
        checks = await suite.run(url, revision, tmp_path)

    unmet = {str(check) for check in checks if check.unmet and not check.scenario.startswith(EXTENSION)}
    assert unmet == GAPS[revision].keys()
