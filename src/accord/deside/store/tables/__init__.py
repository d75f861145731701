"""The tables, a file a domain. Importing this fills the metadata."""

from accord.deside.store.tables import completions as completions
from accord.deside.store.tables import identity as identity
from accord.deside.store.tables import messaging as messaging
from accord.deside.store.tables import oauth as oauth
from accord.deside.store.tables import payments as payments
from accord.deside.store.tables import people as people
