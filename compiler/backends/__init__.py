"""Back ends: what a program becomes."""
