"""A sequence that grows: with a cache each id is read once, and the logits are the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compiler.backends.onnx import emit
from compiler.passes.stateless import stateless
from compiler.runtime.continued import Continued
from compiler.runtime.opening import open_session
from compiler.runtime.roles import growing
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.runtime.stepped import watch
from tests.verify.models import decoder, made

PADDED = {**decoder(), "inputs": {"ids": {"tokens": {"padded": True, "segments": True}}}}
IDS = [3, 9, 4, 1, 30, 7]


@pytest.mark.parametrize("spec", [decoder(), PADDED], ids=["plain", "padded and packed"])
def test_a_cache_changes_nothing_but_what_is_read(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = made(spec)
    weights = lazy_weights(build(found.generated).state_dict())
    seen = watch(monkeypatch)
    logits = []
    for name, form in (("cached", found.whole), ("whole", stateless(found.fused))):
        (tmp_path / name).mkdir()
        emit({"model": form}, weights, tmp_path / name)
        session = open_session(tmp_path / name, device="cpu")
        sequence = Continued(session, growing(session), {})
        logits.append([sequence.logits(np.array([IDS[:end]])) for end in (3, 4, 6)])
    np.testing.assert_allclose(logits[0], logits[1], atol=1e-5)
    assert [shapes["ids"][1] for shapes, _ in seen] == [3, 1, 2, 3, 4, 6]
