"""From published files to our parameters and back: checkpoints, rename rules, drawn weights."""
