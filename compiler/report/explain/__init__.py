"""One number of a cost report, explained."""
