"""What all tests share: goldens, plain files that one option rewrites."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no mistake
settings.load_profile("untimed")

# What starts these tests in the background has them ignore Ctrl-C, and so whatever they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

GOLDEN = Path(__file__).parent / "golden"
Golden = Callable[[str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden with what comes out"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden("broken/x.txt", text)` holds `text` against tests/golden/broken/x.txt."""
    update = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden {name}: run pytest --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return compare
