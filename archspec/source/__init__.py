"""Text and where it stands: YAML with positions, expressions, diagnostics and how they are printed."""
