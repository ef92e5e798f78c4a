"""What a model costs each of many devices: memory by rank, and what ranks say to each other."""
