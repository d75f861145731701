"""`python -m greeting_server` is the command `greeting-server`."""

from .server import main

main()
