"""Norms in their short and long forms."""

import pytest

from archspec.components.norm import Norm
from tests.archspec.reading import codes, component, node


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{layer: 1e-5}", Norm(kind="layer", eps=1e-5)),
        ("{rms: 1e-6}", Norm(kind="rms", eps=1e-6, bias=False)),
        (
            "{rms: {eps: 1e-6, unit_offset: true}}",
            Norm(kind="rms", eps=1e-6, bias=False, unit_offset=True),
        ),
        ("{layer: {eps: 1e-5, bias: false}}", Norm(kind="layer", eps=1e-5, bias=False)),
        ("{layer: {eps: 1e-5, affine: false}}", Norm(kind="layer", eps=1e-5, affine=False)),
        (
            "{rms: {eps: 10**-6, multiply: after_cast}}",
            Norm(kind="rms", eps=1e-6, bias=False, multiply="after_cast"),
        ),
        ("l2", Norm(kind="l2", eps=1e-12, affine=False, bias=False)),
        ("{l2: 1e-6}", Norm(kind="l2", eps=1e-6, affine=False, bias=False)),
    ],
)
def test_forms(written: str, expected: Norm) -> None:
    assert component(f"norm: {written}") == expected


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("layer", "AR0206"),
        ("{}", "AR0206"),
        ("{layr: 1e-5}", "AR0206"),
        ("{layer: 1e-5, rms: 1e-5}", "AR0206"),
        ("{layer: 0}", "AR0202"),
        ("{layer: -1e-5}", "AR0202"),
        ("{layer: {}}", "AR0101"),
        ("{layer: {epsilon: 1e-5}}", "AR0102"),
        ("{rms: {eps: 1e-5, bias: true}}", "AR0108"),
        ("{layer: {eps: 1e-5, kind: rms}}", "AR0108"),
        ("{layer: [1e-5]}", "AR0104"),
        ("{layer: {eps: 1e-5, affine: yes}}", "AR0104"),
        ("{layer: null}", "AR0105"),
    ],
)
def test_what_is_no_norm(written: str, code: str) -> None:
    assert code in codes(node(f"norm: {written}"))
