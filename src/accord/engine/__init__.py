"""The engine's front door: all that a product may use. Names are loaded when they are first asked for."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
