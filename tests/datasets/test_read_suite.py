"""The command that reads a suite: strings and items by string id."""

import json
import subprocess
import sys

import pytest

from workflow_scripts.datasets.read_suite import main, read_suite
from workflow_scripts.errors import UserError

SIMLEX = {"task": "similarity", "format": "simlex", "language": "en", "path": "s.txt"}
LEXICON = {
    "task": "lexicon",
    "format": "xling-eval",
    "source": "en",
    "target": "fr",
    "path": "bli",
    "vocabulary_size": 0,
}
LINKING = {
    "task": "entity-linking",
    "format": "askapatient",
    "language": "en",
    "path": "ask",
    "dictionary": "ask/dictionary.txt",
}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "bli").mkdir()
    (tmp_path / "ask").mkdir()
    files = {
        "s.txt": "word1\tword2\tPOS\tSimLex999\ndog\tcat\tN\t1\nsun\tdog\tN\t2.5\n",
        "bli/yacle.train.freq.5k.en-fr.tsv": "dog\tchien\nmoon\tlune\n",
        "bli/yacle.test.freq.2k.en-fr.tsv": "cat\tchat\ncat\tminet\n",
        "ask/dictionary.txt": "1||Dog  bite\n2||dog\n",
        "ask/AskAPatient.fold-0.test.txt": "1\tDog bite\tbitten by  DOG\n-1\tx\ty\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(root, block):
    outputs = ["--strings", str(root / "out/strings.txt"), "--items", str(root / "out/items.json")]
    main(["--suite", "mine", "--root", str(root), "--block", json.dumps(block), *outputs])
    strings = (root / "out/strings.txt").read_text(encoding="utf-8").split("\n")
    assert strings.pop() == ""
    return strings, json.loads((root / "out/items.json").read_text(encoding="utf-8"))


def test_strings_are_unique_over_the_suite_and_items_point_at_them(root):
    strings, items = run(root, {"datasets": {"simlex": SIMLEX, "ask": LINKING}})
    assert strings == ["dog", "sun", "cat", "dog bite", "bitten by dog"]
    assert items == {
        "suite": "mine",
        "datasets": {
            "simlex": {
                "task": "similarity",
                "split": "test",
                "language": "en",
                "dropped": {},
                "left": [0, 1],
                "right": [2, 0],
                "gold": [1.0, 2.5],
                "subset": ["N", "N"],
            },
            "ask": {
                "task": "entity-linking",
                "split": "test",
                "language": "en",
                "dropped": {"no_concept": 1},
                "names": [3, 0],
                "name_concepts": [["1"], ["2"]],
                "mentions": [[4]],
                "gold": [[["1"]]],
            },
        },
    }


def test_labelled_pairs_and_strings_are_numbered(root, monkeypatch):
    monkeypatch.chdir(root)
    (root / "q.tsv").write_text(
        "index\tquestion\tsentence\tlabel\n0\tdog\tcat\tentailment\n1\tsun\tdog\tnot_entailment\n"
    )
    (root / "results/corpora").mkdir(parents=True)
    (root / "results/corpora/c.txt").write_text("cat\nmoon\n")
    common = {"language": "en", "split": "test"}
    strings, items = read_suite(
        root,
        {
            "q": {"task": "pair-classification", "format": "qnli", "path": "q.tsv", **common},
            "i": {"task": "isotropy", "format": "corpus", "corpus": "c", **common},
        },
    )
    assert strings == ["dog", "sun", "cat", "moon"]
    assert items == {
        "q": {
            "task": "pair-classification",
            "dropped": {},
            "left": [0, 1],
            "right": [2, 0],
            "label": [1, 0],
            **common,
        },
        "i": {"task": "isotropy", "dropped": {}, "strings": [2, 3], **common},
    }


def test_labelled_and_parallel_sentences_are_numbered(root):
    for name, text in {"pos": "sun\n", "neg": "moon\n", "fr": "lune\n", "en": "moon\n"}.items():
        (root / name).write_text(text)
    labelled = {
        "task": "classification",
        "format": "labelled-sentences",
        "language": "en",
        "path": {"1": "pos", "0": "neg"},
    }
    parallel = {
        "task": "bitext",
        "format": "parallel-sentences",
        "language": "fr-en",
        "left": "fr",
        "right": "en",
    }
    strings, items = read_suite(root, {"c": labelled, "b": parallel})
    assert strings == ["sun", "moon", "lune"]
    assert (items["c"]["strings"], items["c"]["labels"]) == ([0, 1], ["1", "0"])
    assert (items["b"]["left"], items["b"]["right"]) == ([2], [1])


def test_a_suite_with_a_language_holds_one_side_of_a_lexicon_row_by_row(root):
    english, source = run(root, {"language": "en", "datasets": {"bli": LEXICON}})
    assert english == ["dog", "moon", "cat"]
    assert source["datasets"]["bli"] == {
        "task": "lexicon-side",
        "side": "source",
        "split": "test",
        "language": "en",
        "dropped": {},
        "vocabulary": [0, 1, 2],
        "train": [0, 1],
        "test": [2, 2],
    }
    french, target = run(root, {"language": "fr", "datasets": {"bli": LEXICON}})
    side = target["datasets"]["bli"]
    assert side["side"] == "target"
    assert [french[i] for i in side["train"]] == ["chien", "lune"]
    assert [french[i] for i in side["test"]] == ["chat", "minet"]


def test_a_suite_without_a_language_holds_both_sides(root):
    strings, items = read_suite(root, {"bli": LEXICON})
    block = items["bli"]
    assert block["task"] == "lexicon"
    assert [[strings[i] for i in pair] for pair in block["train"]] == [
        ["dog", "chien"],
        ["moon", "lune"],
    ]
    assert [strings[i] for i in block["target_vocabulary"]] == ["chien", "lune", "chat", "minet"]


def test_a_lexicon_in_the_suite_of_another_language_is_refused(root):
    with pytest.raises(UserError, match="languages en and fr, the suite has 'et'"):
        read_suite(root, {"bli": LEXICON}, "et")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "--block must be"),
        ('{"datasets": {}}', "no data sets"),
        ('{"datasets": {"a": {}}, "lang": "en"}', "did you mean 'language'"),
        ('{"datasets": {"a": {}}}', "data set 'a': option 'format' is missing"),
    ],
)
def test_a_malformed_block_is_refused_before_anything_is_written(root, block, message):
    arguments = ["--suite", "mine", "--root", str(root), "--block", block]
    arguments += ["--strings", str(root / "o/s.txt"), "--items", str(root / "o/i.json")]
    with pytest.raises(UserError, match=message):
        main(arguments)
    assert not (root / "o").exists()


def test_the_command_prints_one_line_and_no_traceback_for_a_malformed_file(root, project):
    (root / "s.txt").write_text("word1\tword2\tPOS\tSimLex999\ndog\tcat\n", encoding="utf-8")
    command = [sys.executable, "-m", "workflow_scripts.datasets.read_suite", "--suite", "mine"]
    command += ["--root", str(root), "--block", json.dumps({"datasets": {"simlex": SIMLEX}})]
    command += ["--strings", str(root / "o/s.txt"), "--items", str(root / "o/i.json")]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {root / 's.txt'}:2: expected a row with word1")
    assert done.stderr.count("\n") == 1
    assert not (root / "o").exists()
