"""Token shift as words of the language, as an operator, and how the one becomes the other."""
