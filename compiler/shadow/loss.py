"""What training makes small: the mean of cross entropies, or of squared differences."""

from compiler.shadow.tensor import Tensor, keep, made
from compiler.shadow.views import flatten


def cross_entropy(logits: Tensor) -> Tensor:
    """Of classes in the last dimension, by numbers that are there like an input."""
    flat = flatten(logits, 0, -2) if len(logits.shape) > 2 else logits
    shape, dtype = flat.shape, flat.dtype
    shares = made(flat.tape, shape, dtype, (flat,), back=lambda g: made(g.tape, shape, dtype))
    keep(shares, shares)
    loss = made(flat.tape, (), dtype, (shares,), back=lambda g: made(g.tape, shape, dtype))
    weight = made(flat.tape, (), dtype)
    keep(loss, shares, weight)
    return loss


def mean_square(y: Tensor) -> Tensor:
    """Of the differences to values that are there like an input."""
    shape, dtype = y.shape, y.dtype
    loss = made(y.tape, (), dtype, (y,), back=lambda g: made(g.tape, shape, dtype))
    keep(loss, y)
    return loss
