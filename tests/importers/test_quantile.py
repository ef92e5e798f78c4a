import math
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.quantile import natural_log, normal_quantile


@given(st.floats(1e-300, 1.0, exclude_max=True))
def test_quantiles_are_those_of_the_standard_library(p: float) -> None:
    ours = float(normal_quantile(np.array([p]))[0])
    assert math.isclose(ours, NormalDist().inv_cdf(p), rel_tol=4e-15, abs_tol=4e-16)


@given(st.floats(5e-324, 1.7e308))
def test_logarithms_are_those_of_the_standard_library(x: float) -> None:
    ours = float(natural_log(np.array([x]))[0])
    assert math.isclose(ours, math.log(x), rel_tol=4e-16, abs_tol=4e-16)


def test_only_exactly_rounded_arithmetic_is_used() -> None:
    class Traced(np.ndarray):
        used: ClassVar[set[str]] = set()

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):  # type: ignore[no-untyped-def]
            Traced.used.add(ufunc.__name__)
            plain = [x.view(np.ndarray) if isinstance(x, Traced) else x for x in inputs]
            result = getattr(ufunc, method)(*plain, **kwargs)
            views = (
                tuple(r.view(Traced) for r in result)
                if isinstance(result, tuple)
                else result.view(Traced)
            )
            return views

        def __array_function__(self, func, types, args, kwargs):  # type: ignore[no-untyped-def]
            plain = [x.view(np.ndarray) if isinstance(x, Traced) else x for x in args]
            return func(*plain, **kwargs).view(Traced)

    normal_quantile(np.linspace(1e-12, 1 - 1e-12, 100).view(Traced))
    exact = {"add", "subtract", "multiply", "divide", "sqrt", "negative", "absolute", "frexp"}
    assert {"multiply", "sqrt", "frexp"} <= Traced.used <= exact | {"less", "less_equal", "greater"}
