"""What a designer names: one file a component, with its fields, defaults, limits and papers."""
