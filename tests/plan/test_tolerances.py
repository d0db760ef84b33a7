"""Which differences to published values count as the same, by kind of row."""

from copy import deepcopy

from plans import rows_of


def test_tuned_and_untuned_rows_have_the_tolerance_of_their_kind(default_config):
    config = deepcopy(default_config)
    config["tolerance"] = {"untuned": 0.125, "tuned": 0.25}
    rows = rows_of(config, "table01")
    found = {
        name: {one["tolerance"] for one in rows[name]["cells"].values() if "parts" in one}
        for name in ("bert-mp", "bert-mirror")
    }
    assert found == {"bert-mp": {0.125}, "bert-mirror": {0.25}}


def test_the_tolerance_of_a_column_comes_first(default_config):
    config = deepcopy(default_config)
    config["tables"]["table01"]["columns"][0]["tolerance"] = 0.5
    first = config["tables"]["table01"]["columns"][0]["id"]
    assert rows_of(config, "table01")["bert-mp"]["cells"][first]["tolerance"] == 0.5
