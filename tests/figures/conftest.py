"""A folder of made-up inputs for figures."""

from pathlib import Path

import pytest
from made_inputs import MadeFigure


@pytest.fixture
def made(tmp_path: Path) -> MadeFigure:
    """An empty folder of inputs."""
    return MadeFigure(tmp_path)
