"""A tiny messaging service in memory, written from the contract: what the real one is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from accord.deside.wallets import Wallet

__all__ = ["Model"]

HELD_MOST = 5
AGAIN_SECONDS = 86_400.0
Pair = frozenset[Wallet]


@dataclass
class Request:
    """How the last contact request between two wallets stands."""

    requester: Wallet
    state: Literal["pending", "accepted", "declined", "lapsed"] = "pending"
    waiting: list[str] = field(default_factory=list)
    answered_at: float = 0.0


@dataclass
class Model:
    """Everything there is."""

    policies: dict[Wallet, str]
    now: float = 0.0
    blocks: set[tuple[Wallet, Wallet]] = field(default_factory=set)
    log: list[tuple[Wallet, Wallet, str]] = field(default_factory=list)
    requests: dict[Pair, Request] = field(default_factory=dict)
    marks: dict[tuple[Wallet, Wallet], int] = field(default_factory=dict)
    results: dict[tuple[Wallet, str], tuple[Wallet, str, str | int]] = field(default_factory=dict)

    def send(self, sender: Wallet, to: Wallet, text: str, key: str | None) -> str | int:
        """Return the message's number, or what became of it instead."""
        if key is not None and (sender, key) in self.results:
            known_to, known_text, result = self.results[sender, key]
            return result if (known_to, known_text) == (to, text) else "CONFLICT"
        result = self._sent(sender, to, text)
        if key is not None and (isinstance(result, int) or result == "pending_acceptance"):
            self.results[sender, key] = (to, text, result)
        return result

    def _sent(self, sender: Wallet, to: Wallet, text: str) -> str | int:
        if to not in self.policies:
            return "user_not_registered"
        if (to, sender) in self.blocks:
            return "BLOCKED"
        if self.policies[to] == "nobody":
            return "POLICY_BLOCKED"
        request = self.requests.get(frozenset((sender, to)))
        if self._is_admitted(sender, to, request):
            if request is not None and request.state == "pending":
                request.state = "accepted" if request.requester == to else "lapsed"
                self._deliver_waiting(request, to if request.requester == sender else sender)
            return self._deliver(sender, to, text)
        return self._hold(sender, to, text, request)

    def _is_admitted(self, sender: Wallet, to: Wallet, request: Request | None) -> bool:
        asked = request is not None and (request.state == "accepted" or request.requester == to)
        wrote = any(a == to and b == sender for a, b, _ in self.log)
        return self.policies[to] == "everyone" or asked or wrote

    def _hold(self, sender: Wallet, to: Wallet, text: str, request: Request | None) -> str:
        if request is None or request.state == "lapsed":
            request = self.requests[frozenset((sender, to))] = Request(sender)
        elif request.state == "declined":
            if self.now - request.answered_at < AGAIN_SECONDS:
                return "POLICY_BLOCKED"
            request = self.requests[frozenset((sender, to))] = Request(sender)
        if len(request.waiting) == HELD_MOST:
            return "POLICY_BLOCKED"
        request.waiting.append(text)
        return "pending_acceptance"

    def _deliver(self, sender: Wallet, to: Wallet, text: str) -> int:
        self.log.append((sender, to, text))
        return len(self.between(sender, to))

    def _deliver_waiting(self, request: Request, to: Wallet) -> None:
        for text in request.waiting:
            self._deliver(request.requester, to, text)
        request.waiting = []

    def between(self, one: Wallet, other: Wallet) -> list[tuple[Wallet, str]]:
        """Return a conversation, the oldest message first."""
        return [(a, text) for a, b, text in self.log if {a, b} == {one, other}]

    def answer(self, wallet: Wallet, requester: Wallet, action: str) -> bool:
        """Answer a request; False where there is none."""
        request = self.requests.get(frozenset((wallet, requester)))
        if request is None or request.state != "pending" or request.requester != requester:
            return False
        if action == "accept":
            request.state = "accepted"
            self._deliver_waiting(request, wallet)
        else:
            request.state, request.waiting, request.answered_at = "declined", [], self.now
        return True

    def block(self, owner: Wallet, blocked: Wallet) -> None:
        """Block a wallet, which declines its request."""
        if (owner, blocked) not in self.blocks:
            self.blocks.add((owner, blocked))
            self.answer(owner, blocked, "decline")

    def mark(self, wallet: Wallet, peer: Wallet, seq: int) -> int | None:
        """Return up to where a conversation is read then."""
        newest = len(self.between(wallet, peer))
        if not newest:
            return None
        read = max(self.marks.get((wallet, peer), 0), min(seq, newest))
        self.marks[wallet, peer] = read
        return read

    def unread(self, wallet: Wallet, peer: Wallet) -> int:
        """Count what the peer wrote after the mark."""
        read = self.marks.get((wallet, peer), 0)
        return sum(sender == peer for sender, _ in self.between(wallet, peer)[read:])

    def listed(self, wallet: Wallet) -> list[Wallet]:
        """Return a wallet's peers, the last used conversation first."""
        peers = [b if a == wallet else a for a, b, _ in reversed(self.log) if wallet in {a, b}]
        return list(dict.fromkeys(peers))

    def asked_of(self, wallet: Wallet) -> dict[Wallet, list[str]]:
        """Return what waits for a wallet's answer, by requester."""
        return {
            request.requester: request.waiting
            for pair, request in self.requests.items()
            if request.state == "pending" and wallet in pair and request.requester != wallet
        }
