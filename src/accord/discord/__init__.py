"""discord-mcp as a library: define tools, build a server, wrap a client. Names load when they are first asked for."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
