"""Names of methods of a generated encoder-decoder."""

from typing import Final

ALL: Final = "cross_kv"
"""What makes the keys and values of a source for all layers, and what the decoder calls them."""
ONE: Final = "keys_values"
"""What makes those of one attention."""
