"""Solana in process, for the sandbox and tests: real programs on LiteSVM, behind the JSON-RPC that clients speak."""

from accord.deside.chain.app import chain_app, sandbox_app
from accord.deside.chain.chain import Chain
from accord.deside.chain.faults import Faults
from accord.deside.chain.sandbox import ChainSandbox

__all__ = ["Chain", "ChainSandbox", "Faults", "chain_app", "sandbox_app"]
