"""Cells and slices, against positions counted by hand."""

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.tuning_grid.cells import grid_cells

AXES = st.dictionaries(
    st.sampled_from(["learning_rate", "batch_size", "epochs", "temperature"]),
    st.lists(st.integers(), min_size=1, max_size=4, unique=True),
    min_size=1,
)


@given(AXES)
def test_a_cell_s_number_is_its_place_in_the_grid(axes):
    """The oracle counts like an odometer: the last axis turns fastest."""
    cells = grid_cells(axes)
    assert len(cells) == math.prod(map(len, axes.values()))
    for number, cell in enumerate(cells):
        assert cell.number == number
        rest = number
        for axis, values in reversed(axes.items()):
            rest, place = divmod(rest, len(values))
            assert cell.settings[axis] == values[place]
        assert list(cell.settings) == list(axes)


def test_the_paper_s_grid_is_that_of_table_21(project):
    block = yaml.safe_load((project / "config/tuning_grid.yaml").read_text())["tuning_grid"]
    assert len(grid_cells(block["axes"])) == 3 * 3 * 4 * 7
    assert block["axes"]["learning_rate"] == pytest.approx([5e-5, 2e-5, 1e-5])
    assert block["axes"]["batch_size"] == [100, 200, 300]
    assert block["axes"]["epochs"] == [1, 2, 3, 5]
    assert block["axes"]["temperature"] == [0.03, 0.04, 0.05, 0.07, 0.1, 0.2, 0.3]
