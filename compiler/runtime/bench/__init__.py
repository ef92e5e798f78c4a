"""How fast a built model runs on this machine."""
