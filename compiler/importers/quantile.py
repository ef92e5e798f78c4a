"""The normal quantile function in arithmetic that every machine does alike.

Only + - * / and square root of IEEE doubles are used, which are exactly rounded everywhere; the
logarithm is our own, because those of math libraries differ in their last bits.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

# Wichura 1988, algorithm AS 241, PPND16: numerators and denominators from the highest power down.
CENTRE = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.387132872796366608,
    ),
    (
        5226.495278852545925,
        28729.085735721942674,
        39307.89580009271061,
        21213.794301586595867,
        5394.1960214247511077,
        687.1870074920579083,
        42.313330701600911252,
        1.0,
    ),
)
NEAR = (
    (
        7.7454501427834140764e-4,
        0.0227238449892691845833,
        0.24178072517745061177,
        1.27045825245236838258,
        3.64784832476320460504,
        5.7694972214606914055,
        4.6303378461565452959,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.475938084995344946e-4,
        0.0151986665636164571966,
        0.14810397642748007459,
        0.68976733498510000455,
        1.6763848301838038494,
        2.05319162663775882187,
        1.0,
    ),
)
FAR = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        0.0012426609473880784386,
        0.026532189526576123093,
        0.29656057182850489123,
        1.7848265399172913358,
        5.4637849111641143699,
        6.6579046435011037772,
    ),
    (
        2.04426310338993978564e-15,
        1.4215117583164458887e-7,
        1.8463183175100546818e-5,
        7.868691311456132591e-4,
        0.0148753612908506148525,
        0.13692988092273580531,
        0.59983220655588793769,
        1.0,
    ),
)
LN2 = 0.6931471805599453
SERIES = tuple(2.0 / n for n in range(23, 0, -2))
"""2/23, 2/21, …, 2: the atanh series of the logarithm."""


def normal_quantile(p: "Array") -> "Array":
    """Where a standard normal variable has probability `p` below it; float64, 0 < p < 1."""
    import numpy as np

    q = p - 0.5
    tail = np.sqrt(-natural_log(np.where(q < 0, p, 1.0 - p)))
    far = _ratio(FAR, tail - 5.0)
    near = _ratio(NEAR, tail - 1.6)
    outer = np.where(tail > 5.0, far, near)
    inner = q * _ratio(CENTRE, 0.180625 - q * q)
    result: Array = np.where(np.abs(q) <= 0.425, inner, np.where(q < 0, -outer, outer))
    return result


def natural_log(x: "Array") -> "Array":
    """ln x for positive float64 within 2 units in the last place, the same on every machine."""
    import numpy as np

    mantissa, exponent = np.frexp(x)
    low = mantissa < 0.7071067811865476
    mantissa = np.where(low, 2.0 * mantissa, mantissa)
    exponent = np.where(low, exponent - 1, exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    result: Array = exponent * LN2 + s * _power(SERIES, s * s)
    return result


def _ratio(pair: tuple[tuple[float, ...], tuple[float, ...]], x: "Array") -> "Array":
    return _power(pair[0], x) / _power(pair[1], x)


def _power(coefficients: tuple[float, ...], x: "Array") -> "Array":
    """The polynomial, by Horner's rule; NumPy rounds after every step, so none is fused."""
    result = x * 0.0 + coefficients[0]
    for coefficient in coefficients[1:]:
        result = result * x + coefficient
    return result
