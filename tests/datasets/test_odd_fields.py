"""Fields as people and programs write them: no number, label or header is silently another."""

import numpy as np
import pytest
from dataset_reading import check, entry, write

from workflow_scripts.corpora.wikimatrix import read_wikimatrix
from workflow_scripts.embedding.static_vectors import read_text_vectors
from workflow_scripts.errors import UserError

# what Python's float() takes and a file of numbers never means, or means otherwise
ODD_NUMBERS = ["4_5", "\u0664", "4,5", "nan", "inf", "1e400", "\uff14", "1,000"]


def texts(**parts):
    return entry("classification", "labelled-texts", **parts)


LABELLED = {"path": "f", "columns": [1, 2]}
STARS = texts(all={**LABELLED, "positive_above": 3})
SCORED = entry("similarity", "scored-pairs", path="f")


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_a_score_is_a_plain_decimal_number(tmp_path, number):
    check(tmp_path, SCORED, {"f": f"a\tb\t1\na\tb\t{number}\n"}, "f:2: expected a number, found")
    check(tmp_path, STARS, {"f": f"a\t1\nb\t{number}\n"}, "f:2: expected a number as label, found")
    write(tmp_path / "f", f"{number}\ta\tb\n")
    with pytest.raises(UserError, match="f:1: expected a margin score first, found"):
        list(read_wikimatrix(tmp_path / "f", 1.04))


@pytest.mark.parametrize("number", [one for one in ODD_NUMBERS if one != "1,000"])
def test_word_vectors_are_of_plain_decimal_numbers(tmp_path, number):
    write(tmp_path / "v.vec", f"2 2\na 1 2\nb 1 {number}\n")
    with pytest.raises(UserError, match=r"v.vec:3: .*; mend or remove the line"):
        read_text_vectors(tmp_path / "v.vec", ["b"])
    write(tmp_path / "v.vec", "2 2\na 1 -2e-1\nb_1 +.5 1.\n")
    np.testing.assert_allclose(read_text_vectors(tmp_path / "v.vec", ["b_1"]).mean, [0.75, 0.4])
