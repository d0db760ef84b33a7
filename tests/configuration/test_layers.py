from itertools import pairwise

import pytest
import yaml

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.errors import UserError


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_config_of_ones_own_lies_over_the_default(write):
    mine = write("mine.yaml", "models: {mine: {path: /x}}\ntables: {own: {title: Own}}\n")
    config = read_layers([mine]).config
    default = read_layers([]).config
    assert set(config["models"]) == {*default["models"], "mine"}
    assert set(config["tables"]) == {*default["tables"], "own"}
    assert {key for key in config if config[key] != default[key]} == {"models", "tables"}


def test_files_lie_over_another_default_where_one_is_named(write):
    default = write("default.yaml", "seeds: [1]\ndevice: cpu\n")
    assert read_layers([], default=default).config == {"seeds": [1], "device": "cpu"}
    mine = write("mine.yaml", "seeds: [2]\n")
    assert read_layers([mine], default=default).config == {"seeds": [2], "device": "cpu"}
    assert read_layers([default], default=default).config == {"seeds": [1], "device": "cpu"}


def test_base_opts_out_or_names_files(write):
    assert read_layers([write("a.yaml", "base: none\nseeds: [1]\n")]).config == {"seeds": [1]}
    write("below.yaml", "base: none\nseeds: [1]\ndevice: cpu\n")
    over = write("over.yaml", "base: below.yaml\nseeds: [2]\n")
    assert read_layers([over]).config == {"seeds": [2], "device": "cpu"}


def test_base_names_shipped_files_where_there_is_none_next_to_it(write):
    mine = write("mine.yaml", "base: [recipes.yaml, papers/cmlm.yaml]\n")
    assert set(read_layers([mine]).config) >= {"recipes", "tables"}
    assert "datasets" not in read_layers([mine]).config
    write("recipes.yaml", "seeds: [7]\n")
    assert read_layers([mine]).config["seeds"] == [7]
    assert "recipes" not in read_layers([mine]).config


def test_a_module_gives_its_config_instead_of_a_file(write):
    given = {"base": "none", "seeds": [1], "corpora": {"c-{n}": {"for": {"n": ["a"]}, "kind": "x"}}}
    layers = read_layers([given])
    assert layers.config == {"seeds": [1], "corpora": {"c-a": {"kind": "x"}}}
    assert layers.file_of(("seeds",)) == "the module's config"
    assert read_layers([{}]).config == read_layers([]).config
    write("own.yaml", "base: none\nseeds: [3]\n")
    assert read_layers([{"base": "own.yaml"}]).config == {"seeds": [3]}


def test_a_mistake_in_a_block_is_of_the_file_that_overrides_the_others_there(write):
    write("below.yaml", "base: none\ntables: {t: {rows: [1], overview: {rows: [1]}}}\n")
    layers = read_layers([write("mine.yaml", "base: below.yaml\ntables: {t: {rows: [2]}}\n")])
    assert layers.file_to_fix(("tables", "t")) == "mine.yaml"
    assert layers.file_to_fix(("tables", "t", "overview", "rows")) == "below.yaml"
    assert layers.file_to_fix(("tables", "t", "overview", "task")) == "below.yaml"
    assert layers.file_of(("tables", "t")) == "below.yaml"


def test_a_file_that_two_bases_share_undoes_neither(write):
    write("shared.yaml", "base: none\nseeds: [1]\nlist: [1]\n")
    write("left.yaml", "base: shared.yaml\nseeds: [2]\nlist+: [2]\n")
    write("right.yaml", "base: shared.yaml\nlist+: [3]\n")
    mine = write("mine.yaml", "base: [left.yaml, right.yaml]\n")
    assert read_layers([mine]).config == {"seeds": [2], "list": [1, 2, 3]}


BELOW = "base: none\ngroups: {s: {language: en, datasets: [a]}}\nrows: [{id: x, a: 1}]\n"
# what a file says over that one, or as its own base
WRONG = {
    "base: 3": "`base` is 3; name a file",
    "base: no.yaml": "`base` names .*no.yaml.*; fix it",
    f"base: {'x' * 5000}": "`base` names .* is no file; fix it",
    'base: "a\\0"': "`base` names .* is no file; fix it",
    "base: over.yaml": "circular",
    "groups: {s: {datasets+: c}}": r"`groups.s.datasets\+` is 'c'; give a list",
    "groups: {s: {language+: [c]}}": r"`groups.s.language\+` adds to .*or write `language`",
    "groups: {new: {datasets+: [c]}}": r"`groups.new.datasets\+` adds to a list that does not ex",
    "seeds+: [2]": r"`seeds\+` adds to a list",
    "groups: {s: {datasets+: [b], datasets: [c]}}": r"has both `groups.s.datasets` and `groups",
    "rows: {xx: {a: 5}}": "`rows.xx` changes `xx`, which is not in .*mean 'x'",
}


@pytest.mark.parametrize("text", WRONG, ids=[text[:40] for text in WRONG])
def test_a_base_or_a_change_that_will_not_do(write, text):
    write("below.yaml", BELOW)
    over = write("over.yaml", text if text.startswith("base") else f"base: below.yaml\n{text}\n")
    with pytest.raises(UserError, match=f"over.yaml: .*{WRONG[text]}"):
        read_layers([over])


def test_only_the_first_file_has_a_base(write):
    files = [write("a.yaml", "base: none\n"), write("b.yaml", "base: none\n")]
    with pytest.raises(UserError, match=r"b.yaml: `base` belongs in the first"):
        read_layers(files)


def test_blocks_are_merged_and_those_of_another_nature_replaced(write):
    write(
        "below.yaml",
        "base: none\n"
        "recipes: {a: {method: mirror, rate: 1, mask: {length: 2, unit: word}}}\n"
        "models: {a: {hub: x/y, revision: abc, label: A}}\n"
        "corpora: {a: {kind: names, path: x, size: 5}, b: {kind: lines}}\n"
        "tables: {t: {title: T, columns: [1, 2]}}\n",
    )
    over = write(
        "over.yaml",
        "base: below.yaml\n"
        "recipes: {a: {rate: 2, mask: {length: 3}}}\n"
        "models: {a: {path: /x}}\n"
        "corpora: {a: {size: 6}, b: null}\n"
        "tables: {t: {columns: [3]}}\n",
    )
    layers = read_layers([over], {"corpora": {"a": {"size": 7}}})
    assert layers.config == {
        "recipes": {"a": {"method": "mirror", "rate": 2, "mask": {"length": 3, "unit": "word"}}},
        "models": {"a": {"path": "/x"}},
        "corpora": {"a": {"kind": "names", "path": "x", "size": 7}},
        "tables": {"t": {"title": "T", "columns": [3]}},
    }
    assert layers.file_of(("recipes", "a", "method")) == "below.yaml"
    assert layers.file_of(("recipes", "a", "mask", "length")) == "over.yaml"
    assert layers.file_of(("models", "a", "path")) == "over.yaml"
    assert layers.file_of(("corpora", "a", "size")) == "--config"
    assert layers.file_of(("corpora", "a", "nothing")) == "below.yaml"


def test_a_key_with_a_plus_adds_to_the_list_below(write):
    write(
        "below.yaml",
        "base: none\n"
        "groups: {s: {datasets: [a, b]}}\n"
        "tables: {t: {rows: [{id: x}]}, u: {rows: []}}\n",
    )
    over = write("over.yaml", "base: below.yaml\ngroups: {s: {datasets+: [c]}}\n")
    more = write(
        "more.yaml",
        "groups: {s: {datasets+: [{for: {n: [1, 2]}, each: 'd{n}'}]}}\n"
        "tables: {t: {rows+: [{id: y}]}}\n",
    )
    layers = read_layers([over, more], {"groups": {"s": {"datasets+": ["e"]}}})
    assert layers.config == {
        "groups": {"s": {"datasets": ["a", "b", "c", "d1", "d2", "e"]}},
        "tables": {"t": {"rows": [{"id": "x"}, {"id": "y"}]}, "u": {"rows": []}},
    }
    assert layers.file_of(("groups", "s", "datasets")) == "--config"
    assert layers.file_of(("tables", "t", "rows")) == "more.yaml"
    # the files below stay as they are for the next reader
    assert read_layers([over]).config["groups"] == {"s": {"datasets": ["a", "b", "c"]}}


def test_a_mapping_over_rows_changes_those_that_it_names(write):
    write("below.yaml", "base: none\ntables: {t: {rows: [{id: x, a: 1, b: 2}, {id: y, a: 3}]}}\n")
    over = write("over.yaml", "base: below.yaml\ntables: {t: {rows: {x: {a: 5}}}}\n")
    layers = read_layers([over])
    assert layers.config["tables"]["t"]["rows"] == [
        {"id": "x", "a": 5, "b": 2},
        {"id": "y", "a": 3},
    ]
    assert layers.file_of(("tables", "t", "rows", "x", "a")) == "over.yaml"


def test_blocks_of_the_command_line_are_read_as_those_of_files(write):
    below = "base: none\nrecipes: {a: {rate: 1}}\ntables: {t: {title: T}, u: {title: U}}\nroot: x\n"
    text = "rate: 2.5e-4, cut: false, name: '', path: a b, day: 2020-01-01, seeds: [3, x]"
    # as Snakemake gives it
    said = yaml.load(f"{{recipes: {{a: {{{text}}}}}, tables: {{t: null}}}}", Loader=yaml.BaseLoader)
    assert said["recipes"]["a"]["cut"] == "false"
    found = read_layers([write("below.yaml", below)], {**said, "root": "[y"}).config
    assert found == {
        "recipes": {
            "a": {
                "rate": 2.5e-4,
                "cut": False,
                "name": "",
                "path": "a b",
                "day": "2020-01-01",
                "seeds": [3, "x"],
            }
        },
        "tables": {"u": {"title": "U"}},
        "root": "[y",
    }


ALIASES = "".join(
    f"{one}: &{one} [{', '.join([f'*{before}'] * 10)}]\n" for before, one in pairwise("abcdefgh")
)
# the text of a file, and what is wrong with it
NOT_YAML = [
    ("a: 1\nb:\n  c: 1\n  c: 2\n", ", line 4: the key `c` is given twice.*line 3; remove one"),
    ("a: 1\nb: [1\nc: {", ", line 3: "),
    ("a: 1\n\tb: 2\n", ", line 2: "),
    ("- a\n", ": not a mapping; give lines of the form `key: value`"),
    ("a: *b\n", ", line 1: "),
    ("a: !!python/object:os.system {}\n", ", line 1: "),
    ("a: 2020-13-45", ": not valid YAML"),
    ("a: " + "9" * 5000, ": not valid YAML"),
    (None, ": No such file"),
    ("a: \udcff", ": not UTF-8 at byte 3"),
    # what would take the run down
    ("a: " + "[" * 200_000, ", line 1: blocks are nested too deeply"),
    ("- " * 200_000, ", line 1: blocks are nested too deeply"),
    ("a: &x [*x]", ": more than 1000000 values; remove aliases"),
    ("a: &a [0, 1]\n" + ALIASES, ": more than 1000000 values; remove aliases"),
]


@pytest.mark.parametrize(("text", "message"), NOT_YAML, ids=[one[1] for one in NOT_YAML])
def test_a_mistake_in_yaml_is_one_line_with_file_and_line(tmp_path, text, message):
    file = tmp_path / "x.yaml"
    if text is not None:
        file.write_text(text, errors="surrogateescape")
    with pytest.raises(UserError, match=rf"x\.yaml{message}") as caught:
        read_mapping(file)
    assert "\n" not in str(caught.value)


AMBIGUOUS = {"033": 27, "1_000": 1000, "0x21": 33, "1:30": 90, "0b11": 3, "1_0.5": 10.5}
AMBIGUOUS |= {"1:30.5": 90.5, "-017": -15}
YES_AND_NO = {"yes": "true", "no": "false", "on": "true", "Off": "false", "NO": "false"}


@pytest.mark.parametrize(("text", "value"), (AMBIGUOUS | YES_AND_NO).items())
def test_what_yaml_reads_otherwise_than_it_looks_is_refused(write, text, value):
    remedy = "true or false" if text in YES_AND_NO else "plain decimal digits"
    what = f"is `{text}`, which YAML reads as {value}; write {remedy}, or quote"
    places = {
        f"a: 1\nseeds: [1, {text}]\n": "line 2: `seeds.1`",
        f"a: {{b: {text}}}\n": "line 1: `a.b`",
        f"a:\n  {text}: 1\n": f"line 2: `a.{text}`",
    }
    for content, place in places.items():
        with pytest.raises(UserError) as caught:
            read_mapping(write("x.yaml", content))
        assert f"x.yaml, {place} {what}" in str(caught.value)
    assert read_mapping(write("x.yaml", f"a: '{text}'\n\"{text}\": 1\n")) == {"a": text, text: 1}
    # as Snakemake gives the values of a list in --config
    with pytest.raises(UserError, match=r"--config: `seeds.1` is `.*; write .* file") as caught:
        read_layers([write("y.yaml", "base: none\n")], {"seeds": ["1", text]})
    assert "\n" not in str(caught.value)


def test_what_is_written_plainly_stays(write):
    text = "a: [0, -5, +5, 10, 1.50, .5, 5., 1.0e-3, true, False, null, ~, 08, n, y, 1e3, 2:x]\n"
    expected = [0, -5, 5, 10, 1.5, 0.5, 5.0, 1e-3, True, False, None, None, "08", "n", "y"]
    assert read_mapping(write("x.yaml", text)) == {"a": [*expected, "1e3", "2:x"]}
    assert read_mapping(write("x.yaml", "a: &x {b: 1}\nc: {<<: *x}\nd: *x\n"))["d"] == {"b": 1}


def test_an_empty_file_and_a_merge_key(write):
    assert read_mapping(write("x.yaml", "")) == {}
    text = "a: &x {b: 1}\nc: {<<: *x, b: 2}\n"
    assert read_mapping(write("y.yaml", text))["c"] == {"b": 2}
