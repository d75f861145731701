"""Where messages come in and go out: the only room that touches pipes and sockets."""
