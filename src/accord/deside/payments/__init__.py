"""Payments with x402: quotes, what is presented for them, settlement, and what became of what was sent."""

from accord.deside.payments.seller import Budget, Held, Json, NoBudget, Order, Owed, Receipt, Resource, Seller, Settled

__all__ = ["Budget", "Held", "Json", "NoBudget", "Order", "Owed", "Receipt", "Resource", "Seller", "Settled"]
