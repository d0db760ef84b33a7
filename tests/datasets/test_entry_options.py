"""Closed options: unknown keys, types, choices, defaults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.datasets.options import Option, fill_options
from workflow_scripts.errors import UserError

KNOWN = {
    "path": Option((str,)),
    "size": Option((int,), 10),
    "form": Option((str,), "lines", choices=("lines", "rows")),
    "margin": Option((int, float), None),
}


def test_defaults_are_filled_in_and_given_values_kept():
    assert fill_options({"path": "a", "size": 3}, KNOWN, "x") == {
        "path": "a",
        "size": 3,
        "form": "lines",
        "margin": None,
    }


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"path": "a", "pth": "b"}, "x: unknown option 'pth'; did you mean 'path'?"),
        ({"path": "a", "zzz": 1}, "x: unknown option 'zzz'; known are form, margin, path, size"),
        ({}, "x: option 'path' is missing"),
        ({"path": None}, "x: option 'path' must be str, found None"),
        ({"path": "a", "size": "3"}, "x: option 'size' must be int, found '3'"),
        ({"path": "a", "size": True}, "x: option 'size' must be int, found True"),
        ({"path": "a", "margin": "1"}, "x: option 'margin' must be int or float"),
        ({"path": "a", "form": "row"}, "x: option 'form' cannot be 'row'; did you mean 'rows'?"),
        ("path", "x: expected a block of keys"),
    ],
)
def test_mistakes_name_the_place_the_key_and_the_nearest_known_name(given_options, message):
    with pytest.raises(UserError) as caught:
        fill_options(given_options, KNOWN, "x")
    assert str(caught.value).startswith(message)


@given(st.text(max_size=8))
def test_no_key_outside_the_set_passes(name):
    if name in KNOWN:
        return
    with pytest.raises(UserError, match="unknown option"):
        fill_options({"path": "a", name: 1}, KNOWN, "x")
