"""One yaml-language-server for all tests of a process: starting node takes a second."""

from collections.abc import Iterator

import pytest

from tests.editor.editor import Editor


@pytest.fixture(scope="session")
def editor() -> Iterator[Editor]:
    editor = Editor()
    yield editor
    editor.close()
