"""The libraries of the pretended device, made once."""

from pathlib import Path

import pytest

from tests.device.pretended import write_libraries


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with libraries in CUDA's place."""
    folder = tmp_path_factory.mktemp("pretended")
    write_libraries(folder)
    return folder
