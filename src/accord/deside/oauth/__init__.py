"""The authorization server: OAuth 2 with PKCE for public clients, where a person or an agent signs in with a wallet."""

from accord.deside.oauth.bearers import Bearer, Bearers
from accord.deside.oauth.endpoints import routes
from accord.deside.oauth.hosts import metadata_url, public_url
from accord.deside.oauth.limits import counted_as
from accord.deside.oauth.scopes import SCOPES, offered

__all__ = ["SCOPES", "Bearer", "Bearers", "counted_as", "metadata_url", "offered", "public_url", "routes"]
