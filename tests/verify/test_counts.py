import pytest

from compiler.verify.counts import counts
from tests.verify.changed import with_source
from tests.verify.models import Mapping, decoder, encoder, made, points


@pytest.mark.parametrize("spec", [decoder(), encoder(positions={"learned": 64}), points()])
def test_counts_agree(spec: Mapping) -> None:
    parameters, flops = counts(made(spec))
    assert parameters.ok
    assert flops.ok
    assert parameters.measured
    assert flops.measured


def test_a_parameter_more_is_found() -> None:
    spec = with_source(made(decoder()), "nn.Linear(M, D, bias=False)", "nn.Linear(M, D)")
    parameters, flops = counts(spec)
    assert parameters.ok is False
    assert flops.ok


def test_a_product_more_is_found() -> None:
    said = "x_BTD + self.down("
    spec = with_source(made(decoder()), said, "x_BTD * (x_BTD @ x_BTD.mT).sum() + self.down(")
    parameters, flops = counts(spec)
    assert parameters.ok
    assert flops.ok is False
