"""Passes: each takes a program and returns another one, or something it found out."""
