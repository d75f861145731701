"""Conversations and their messages, what was sent by whom, and messages that wait for a contact request's answer.

A conversation is between two wallets; `low` is the one that sorts first. Locks are taken in the order of these tables,
the later ones after the earlier, so that no two transactions wait for each other.
"""

from __future__ import annotations

import sqlalchemy as sa

from accord.deside.store.metadata import METADATA

__all__ = ["CONTACT_REQUESTS", "CONVERSATIONS", "HELD_MESSAGES", "MESSAGES", "SENDERS", "SENDS", "TRANSACTION_OFFSET"]

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # only INTEGER numbers itself in SQLite

# One a pair of wallets: how the last request between them stands. `held` messages of the requester wait.
CONTACT_REQUESTS = sa.Table(
    "contact_requests",
    METADATA,
    sa.Column("conv_id", sa.String, primary_key=True),
    sa.Column("requester", sa.String, nullable=False),
    sa.Column("recipient", sa.String, nullable=False),
    # pending, accepted (they are contacts), declined, lapsed (the recipient let everyone write before it answered)
    sa.Column("state", sa.String, nullable=False),
    sa.Column("held", sa.Integer, nullable=False),
    sa.Column("asked_at_ms", sa.BigInteger, nullable=False),
    sa.Column("answered_at_ms", sa.BigInteger),
    sa.Index(None, "recipient", "state", "asked_at_ms"),
)

# `place` is the greatest of its messages' places. `low_sent` counts what low sent here, `low_unread` what it has not
# read of the other's messages, which are those after `low_read`.
CONVERSATIONS = sa.Table(
    "conversations",
    METADATA,
    sa.Column("conv_id", sa.String, primary_key=True),
    sa.Column("low", sa.String, nullable=False, index=True),
    sa.Column("high", sa.String, nullable=False, index=True),
    sa.Column("seq_max", sa.BigInteger, nullable=False),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("low_sent", sa.BigInteger, nullable=False),
    sa.Column("high_sent", sa.BigInteger, nullable=False),
    sa.Column("low_read", sa.BigInteger, nullable=False),
    sa.Column("high_read", sa.BigInteger, nullable=False),
    sa.Column("low_unread", sa.BigInteger, nullable=False),
    sa.Column("high_unread", sa.BigInteger, nullable=False),
)

SENDERS = sa.Table(
    "senders",
    METADATA,
    sa.Column("sender", sa.String, primary_key=True),
    sa.Column("sent", sa.BigInteger, nullable=False),
)

# What a wallet sent, once for each key of the sender's: the n-th of all, and the m-th into this conversation (null for
# a message that waited). Rows stay as they were written: they are the first results, and what limits count.
SENDS = sa.Table(
    "sends",
    METADATA,
    sa.Column("sender", sa.String, primary_key=True),
    sa.Column("client_msg_id", sa.String, primary_key=True),
    sa.Column("fingerprint", sa.LargeBinary, nullable=False),
    sa.Column("conv_id", sa.String, nullable=False),
    sa.Column("n", sa.BigInteger, nullable=False),
    sa.Column("m", sa.BigInteger),
    sa.Column("seq", sa.BigInteger),
    sa.Column("sent_at_ms", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("sender", "n"),
    sa.Index(None, "sender", "conv_id", "m"),
    sqlite_with_rowid=False,
)

# `tx` is the number of the transaction that wrote the row (0 in SQLite, whose ids are in the order of commits), `place`
# the greatest such number in the conversation up to here: what sync goes by.
MESSAGES = sa.Table(
    "messages",
    METADATA,
    sa.Column("id", ID, primary_key=True),
    sa.Column("tx", sa.BigInteger, nullable=False),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("conv_id", sa.String, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("sender", sa.String, nullable=False),
    sa.Column("recipient", sa.String, nullable=False),
    sa.Column("source_type", sa.String, nullable=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("blocks", sa.String),  # JSON
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("conv_id", "seq"),
    sa.Index(None, "sender", "place", "id"),
    sa.Index(None, "recipient", "place", "id"),
)

HELD_MESSAGES = sa.Table(
    "held_messages",
    METADATA,
    sa.Column("id", ID, primary_key=True),
    sa.Column("conv_id", sa.String, nullable=False, index=True),
    sa.Column("source_type", sa.String, nullable=False),
    sa.Column("content", sa.String, nullable=False),
    sa.Column("blocks", sa.String),
    sa.Column("created_at_ms", sa.BigInteger, nullable=False),
)

# One row, or none: what is added to PostgreSQL's number of a transaction.
TRANSACTION_OFFSET = sa.Table(
    "transaction_offset", METADATA, sa.Column("offset", sa.BigInteger, primary_key=True, autoincrement=False)
)
