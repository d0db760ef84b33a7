"""The command that reads a suite: strings and items by string id."""

import json
import subprocess
import sys

import pytest
from dataset_reading import entry, read_suite
from workflow_scripts.datasets.read_suite import main

from workflow_scripts.errors import UserError

SIMLEX = entry("similarity", "simlex", path="s.txt")
LEXICON = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "fr"}
LEXICON |= {"path": "bli", "vocabulary_size": 0}
LINKING = entry("entity-linking", "askapatient", path="ask", dictionary="ask/dictionary.txt")
COMMON = {"language": "en", "split": "test", "dropped": {}}


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
    pairs = {"left": [0, 1], "right": [2, 0], "gold": [1.0, 2.5], "subset": ["N", "N"]}
    simlex = {"task": "similarity", **COMMON, **pairs}
    ask = {"task": "entity-linking", **COMMON, "dropped": {"no_concept": 1}, "mentions": [[4]]}
    ask |= {"names": [3, 0], "name_concepts": [["1"], ["2"]], "gold": [[["1"]]]}
    assert items == {"suite": "mine", "datasets": {"simlex": simlex, "ask": ask}}


def test_labelled_parallel_and_corpus_strings_are_numbered(root, monkeypatch):
    monkeypatch.chdir(root)
    header = "index\tquestion\tsentence\tlabel\n"
    files = {
        "q.tsv": header + "0\tdog\tcat\tentailment\n1\tsun\tdog\tnot_entailment\n",
        "results/corpora/c.txt": "cat\nmoon\n",
        **{"pos": "sun\n", "neg": "moon\n", "fr": "lune\n", "en": "moon\n"},
    }
    (root / "results/corpora").mkdir(parents=True)
    for name, text in files.items():
        (root / name).write_text(text)
    blocks = {
        "q": entry("pair-classification", "qnli", path="q.tsv"),
        "i": entry("isotropy", "corpus", corpus="c"),
        "c": entry("classification", "labelled-texts", all={"path": {"1": "pos", "0": "neg"}}),
        "b": entry("bitext-retrieval", "parallel-sentences", left="fr", right="en"),
    }
    strings, items = read_suite(root, blocks)
    assert strings == ["dog", "sun", "cat", "moon", "lune"]
    pairs = {"left": [0, 1], "right": [2, 0], "label": [1, 0]}
    assert items["q"] == {"task": "pair-classification", **pairs, **COMMON}
    assert items["i"] == {"task": "isotropy", "strings": [2, 3], **COMMON}
    assert (items["c"]["texts"], items["c"]["labels"]) == ([[3], [1]], ["0", "1"])
    assert (items["b"]["left"], items["b"]["right"]) == ([4], [3])


def test_a_suite_with_a_language_holds_one_side_of_a_lexicon_row_by_row(root):
    english, source = run(root, {"language": "en", "datasets": {"bli": LEXICON}})
    assert english == ["dog", "moon", "cat"]
    rows = {"vocabulary": [0, 1, 2], "train": [0, 1], "test": [2, 2]}
    expected = {"task": "lexicon-side", "side": "source", **COMMON, **rows}
    assert source["datasets"]["bli"] == expected
    french, target = run(root, {"language": "fr", "datasets": {"bli": LEXICON}})
    side = target["datasets"]["bli"]
    assert side["side"] == "target"
    assert [french[i] for i in side["train"]] == ["chien", "lune"]
    assert [french[i] for i in side["test"]] == ["chat", "minet"]


def test_a_suite_without_a_language_holds_both_sides(root):
    strings, items = read_suite(root, {"bli": LEXICON})
    block = items["bli"]
    assert block["task"] == "lexicon"
    train = [[strings[i] for i in pair] for pair in block["train"]]
    assert train == [["dog", "chien"], ["moon", "lune"]]
    assert [strings[i] for i in block["target_vocabulary"]] == ["chien", "lune", "chat", "minet"]
    with pytest.raises(UserError, match="languages en and fr, its suite has 'et'"):
        read_suite(root, {"bli": LEXICON}, "et")


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
