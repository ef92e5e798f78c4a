"""The siblings that the other tests run are small, and still the models that they stand for."""

import pytest

from tests.generated.samples import DECODERS, small, whole
from tests.shipped import DISTINCT, MIXED, OWN, SHIPPED, TRACED, TWINS


def test_there_are_specs_of_every_kind() -> None:
    assert {"encoder", "decoder", "encoder-decoder", "vision"} <= {
        p.split("/")[1] for p in DISTINCT
    }
    assert {path for path in DISTINCT if path.split("/")[1] in ("decoder", "encoder-decoder")} <= {
        *DECODERS
    }


@pytest.mark.parametrize("path", DISTINCT)
def test_a_sibling_is_small_and_alike(path: str) -> None:
    assert small(path).parameters < 800_000
    assert classes(small(path).generated.text) == classes(whole(path).generated.text)


def test_what_is_not_distinct_has_a_twin() -> None:
    """Slow tests leave these out: but for constants and the model's name they are another's."""
    assert {body(path) for path in TWINS} <= {body(path) for path in DISTINCT}


def test_lists_of_specs_name_what_is_there() -> None:
    assert set(SHIPPED) >= OWN
    assert set(DISTINCT) >= MIXED


def test_what_is_its_own_has_no_twin() -> None:
    others = {body(path) for path in DISTINCT if path not in OWN}
    assert len({body(path) for path in OWN} - others) == len(OWN)


def test_every_operator_is_traced() -> None:
    """What torch neither compiles nor exports in tests has no operator of its own."""
    assert set().union(*map(operators, MIXED)) <= set().union(*map(operators, TRACED))


def operators(path: str) -> set[type]:
    return {type(node.what) for _, node, _ in small(path).program.flat()}


def body(path: str) -> str:
    generated = small(path).generated
    lines = generated.text.partition("\n\n\n")[2].replace(generated.name, "Model")
    return "\n".join(line.partition("  # spec:")[0] for line in lines.splitlines())


def classes(text: str) -> list[str]:
    return [line.partition("#")[0] for line in text.splitlines() if line.startswith("class ")]
