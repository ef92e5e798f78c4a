"""Text and where it stands: YAML with places, expressions, diagnostics and their printing."""
