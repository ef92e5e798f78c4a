"""Pictures of a program: Mermaid, DOT and SVG."""
