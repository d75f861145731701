"""Completions: one call, one answer of a model, free or paid for."""

from accord.deside.completions.budgets import Budgets, PaidBudget
from accord.deside.completions.digests import Digests
from accord.deside.completions.echo import Echo
from accord.deside.completions.provider import Answer, Prompt, Provider, ProviderFailed
from accord.deside.completions.sales import WhenAnswered
from accord.deside.completions.service import Asked, Completions
from accord.deside.completions.tiers import Tier, Tiers

__all__ = [
    "Answer",
    "Asked",
    "Budgets",
    "Completions",
    "Digests",
    "Echo",
    "PaidBudget",
    "Prompt",
    "Provider",
    "ProviderFailed",
    "Tier",
    "Tiers",
    "WhenAnswered",
]
