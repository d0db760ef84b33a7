"""The references that are made from code are what the code says now."""

import pytest

from tools.references import FOLDER, PAGES, remade


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == remade(name), "run `make docs`"
