"""How many pairs of a query and a key an attention mask lets through, exactly."""

from compiler.ir.size import Poly, Size, as_poly, half, least


def visible_pairs(
    target: Size, source: Size, causal: bool, window: int | None = None, chunk: int | None = None
) -> Poly:
    """Pairs (q, k) of the last `target` of `source` positions with all `source` ones.

    Causal: k ≤ q, and q - k < window; else |q - k| ≤ window, for which target is source. With
    `chunk`, only where q and k fall into the same piece of that many positions.
    """
    target, source = as_poly(target), as_poly(source)
    if not causal and window is None and chunk is None:
        return target * source
    if causal and window is None and chunk is None:
        return source * target - half(target * (target - 1))
    before = source - target
    if not causal:
        return _from_the_start(source, causal, window, chunk)
    return _from_the_start(source, causal, window, chunk) - _from_the_start(
        before, causal, window, chunk
    )


def _from_the_start(count: Poly, causal: bool, window: int | None, chunk: int | None) -> Poly:
    """Pairs among the first `count` positions."""
    if chunk is None:
        return _within(count, causal, window)
    whole = count // chunk
    rest = count - whole * chunk
    return whole * _within(as_poly(chunk), causal, window) + _within(rest, causal, window)


def _within(count: Poly, causal: bool, window: int | None) -> Poly:
    if causal:
        near = count if window is None else least(count, window)
        return half(near * (near + 1)) + (count - near) * near
    if window is None:
        return count * count
    near = least(count - 1, window)
    return count + 2 * near * count - near * (near + 1)
