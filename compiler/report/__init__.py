"""From numbers to what people and programs read: text, Markdown, JSON."""
