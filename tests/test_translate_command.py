"""The command `python -m workflow_scripts.translate`."""

import io
import json
import re
import sys

import numpy as np
import pytest
from command_words import as_argv
from tiny_models import one_thread, tiny_bert, tiny_roberta

from tests.support.fasttext_files import write_model
from workflow_scripts import translate
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.datasets.word_pairs import read_pairs, read_words, split_by_source
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.translations import rank_translations, side_of
from workflow_scripts.scoring.ranked_accuracy import measure_translations

__all__ = ["one_thread", "tiny_bert", "tiny_roberta"]

COUNT, DIMENSION = 60, 6


def word_of(side, number):
    return f"{side[0]}{'abcdefghij'[number // 10]}{'klmnopqrst'[number % 10]}"


@pytest.fixture
def files(tmp_path):
    """Vectors of a language and of its rotation, and a dictionary of some of the words."""
    generator = np.random.default_rng(3)
    source = generator.normal(size=(COUNT, DIMENSION)) + 1
    rotation = np.linalg.qr(generator.normal(size=(DIMENSION, DIMENSION)))[0]
    for side, vectors in zip(SIDES, (source, 2 * source @ rotation), strict=True):
        lines = [
            f"{word_of(side, row)} {' '.join(f'{number:.7f}' for number in vector)}"
            for row, vector in enumerate(vectors)
        ]
        text = "\n".join([f"{COUNT} {DIMENSION}", *lines]) + "\n"
        (tmp_path / f"{side}.vec").write_text(text)
    pairs = [f"{word_of('source', row)}\t{word_of('target', row)}\n" for row in range(40)]
    (tmp_path / "pairs.tsv").write_text("".join(pairs))
    return tmp_path


@pytest.fixture
def run(files, capsys):
    """Runs the command, with changes (None: without); returns the rows and what was printed."""

    def run_command(*flags, **changes):
        options = {f"{side}_vectors": files / f"{side}.vec" for side in SIDES}
        options |= {"dictionary": files / "pairs.tsv", "output": files / "found.tsv"}
        translate.main(as_argv(options | {"threads": 1, **changes}, *flags))
        lines = (files / "found.tsv").read_text().splitlines()
        return [line.split("\t") for line in lines], capsys.readouterr()

    return run_command


@pytest.mark.parametrize("mapping", ["orthogonal", "supervised"])
@pytest.mark.parametrize("retrieval", ["csls", "cosine"])
def test_a_rotated_language_is_translated_perfectly(run, mapping, retrieval):
    rows, told = run(mapping=mapping, retrieval=retrieval, k=2)
    assert rows[0] == ["word", "rank", "translation", "score"]
    assert [row[1] for row in rows[1:]] == ["1", "2"] * 8
    # the held-out fifth of the 40 source words, by default
    assert all(row[2] == "t" + row[0][1:] for row in rows[1:] if row[1] == "1")
    lines = told.out.splitlines()
    assert lines[0] == "held out: 8 source words, coverage 1.000"
    assert [line[:18] for line in lines[1:3]] == ["accuracy@1  1.0000", "accuracy@5  1.0000"]


def test_words_of_a_file_or_of_stdin_are_translated_in_their_order(run, files, monkeypatch):
    text = "skk\n\nsak\r\nskk\nunheard\nsft\n".replace("skk", "sbk")
    (files / "words.txt").write_text(text)
    rows, told = run(words=files / "words.txt", k=1)
    assert [row[0] for row in rows[1:]] == ["sbk", "sak", "sft"]
    assert [row[2] for row in rows[1:]] == ["tbk", "tak", "tft"]
    assert "no vectors of 1 of 4 words to translate (unheard); left out" in told.err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run("--overwrite", words="-", k=1)[0] == rows
    jsonl = ["--overwrite", "--format=jsonl"]
    lines, _ = run(*jsonl, words=files / "words.txt", k=1)
    first = json.loads(lines[0][0])
    assert list(first) == list(translate.COLUMNS)
    assert [str(value) for value in first.values()] == rows[1]


def test_all_pairs_are_learnt_from_where_none_is_held_out(run, files):
    (files / "words.txt").write_text("sak\n")
    rows, told = run(words=files / "words.txt", test_share=0)
    assert len(rows) == 6
    assert told.out.count("\n") == 1
    with pytest.raises(UserError, match="--words: nothing to translate; give some"):
        run("--overwrite", test_share=0)


def test_a_test_dictionary_is_not_learnt_from(run, files):
    (files / "test.tsv").write_text("sak tak\nsak tbk\nsfk tfk\nsal nowhere\nunheard x\n")
    rows, told = run(test_dictionary=files / "test.tsv", k=1)
    assert [row[0] for row in rows[1:]] == ["sak", "sfk", "sal"]
    assert "2 pairs of words of" in told.err
    found = told.out.splitlines()
    assert found[0] == "held out: 3 source words, coverage 0.667, 1 left out (no vector)"
    assert found[1].startswith("accuracy@1  0.6667")


def test_a_word_held_out_is_not_learnt_from_in_another_case(run, files):
    # both have the vector of sak
    (files / "test.tsv").write_text("Sak\ttak\n")
    _, told = run(test_dictionary=files / "test.tsv", k=1)
    assert "1 pairs of words of" in told.err
    pairs = (files / "pairs.tsv").read_text()
    (files / "pairs.tsv").write_text(pairs + pairs.replace("s", "S"))
    _, told = run("--overwrite", k=1)
    train, test = split_by_source(read_pairs(files / "pairs.tsv"), 0.2, 33)
    held_out = {source.lower() for source, _ in test}
    count = sum(source.lower() in held_out for source, _ in train)
    assert any(source[0] == "S" and source.lower() in held_out for source, _ in train)
    assert f"{count} pairs of words of the held-out part not used for training" in told.err


def test_vocabularies_limit_what_is_found(run, files):
    (files / "words.txt").write_text("".join(f"{word_of('target', row)}\n" for row in range(30)))
    rows, _ = run(target_vocabulary=files / "words.txt", k=30)
    assert {row[2] for row in rows[1:]} == {word_of("target", row) for row in range(30)}
    rows, _ = run("--overwrite", most_words=20, k=20)
    assert {row[2] for row in rows[1:]} == {word_of("target", row) for row in range(20)}


def test_a_fasttext_model_has_vectors_of_words_that_it_does_not_list(run, files):
    words = ["</s>", *(word_of("source", row) for row in range(COUNT))]
    rows = len(words) + 50
    matrix = np.random.default_rng(1).normal(size=(rows, DIMENSION)).astype(np.float32)
    model = write_model(files / "own.bin", words, dimension=DIMENSION, matrix=matrix)
    (files / "words.txt").write_text("sakk\nsbk\n")
    rows, told = run(source_vectors=model, words=files / "words.txt", k=1)
    assert [row[0] for row in rows[1:]] == ["sakk", "sbk"]
    assert told.err == ""


def lexicon(folder):
    """Files of a lexicon as XLing-Eval's, some sources with several translations."""
    words = [f"{a} {b}" for a in ("red", "big", "the") for b in ("cat", "dog", "man", "tree")]
    letters = [f"{a}{b}" for a in "abcdefg" for b in "xyzuvw"]
    train = [(letters[row], words[row % 12]) for row in range(24)]
    test = [(letters[row], words[row % 12]) for row in range(24, 36)]
    test += [(letters[24], "house"), (letters[30], "small"), (letters[24], "woman")]
    for part, pairs in (("train.freq.5k", train), ("test.freq.2k", test)):
        text = "".join(f"{one}\t{other}\n" for one, other in pairs)
        (folder / f"yacle.{part}.aa-bb.tsv").write_text(text)
    lists = {"aa": letters[::-1], "bb": ["house", *words, "sleeps", "eats", "runs", "green man"]}
    for language, own in lists.items():
        (folder / f"{language}.txt").write_text("\n".join(own) + "\n")
    return {
        **{"task": "lexicon", "format": "xling-eval", "source": "aa", "target": "bb"},
        **{"path": ".", "source_words": "aa.txt", "target_words": "bb.txt"},
    }


@pytest.mark.parametrize("encoders", ["one", "two"])
@pytest.mark.parametrize(
    "choices",
    [
        {"mapping": "supervised", "similarity": "csls", "regularisation": 1.0, "neighbours": 3},
        {"mapping": "orthogonal", "similarity": "cosine"},
    ],
)
def test_the_translations_and_accuracies_are_those_of_the_tables(
    encoders, choices, run, files, tiny_bert, tiny_roberta
):
    entry = read_entry("bli", lexicon(files))
    strings, items = number_items("bli", entry, read_dataset(files, entry, "bli"))
    models = [tiny_bert, tiny_bert if encoders == "one" else tiny_roberta]
    vectors = [
        encode_strings(load_model(str(model)), own, EncoderSettings("mean", 64))
        for model, own in zip(models, strings.values(), strict=True)
    ]
    sides = [side_of(items, side, own, "m") for side, own in zip(SIDES, vectors, strict=True)]
    expected = list(rank_translations(*sides, "bli", 5, **choices))
    measured = measure_translations("bli", items, expected, ["accuracy@1", "accuracy@5"])
    for side, own in zip(SIDES, sides, strict=True):
        text = "".join(f"{strings[side][row]}\n" for row in own.vocabulary)
        (files / f"{side}.txt").write_text(text)
    options = {f"{side}_vocabulary": files / f"{side}.txt" for side in SIDES}
    options |= {f"{side}_vectors": None for side in SIDES}
    if encoders == "one":
        options["encoder"] = tiny_bert
    else:
        options |= {"source_encoder": tiny_bert, "target_encoder": tiny_roberta}
    options |= {"retrieval" if key == "similarity" else key: choices[key] for key in choices}
    train, test = (files / f"yacle.{part}.aa-bb.tsv" for part in ("train.freq.5k", "test.freq.2k"))
    options |= {"dictionary": train, "test_dictionary": test, "pooling": "mean", "device": "cpu"}
    rows, told = run(**options)
    words = list(dict.fromkeys(strings["source"][row] for row in sides[0].test))
    assert [row[:3] for row in rows[1:]] == [
        [words[row.query], str(row.rank), strings["target"][sides[1].vocabulary[row.target_row]]]
        for row in expected
    ]
    scores = [float(row[3]) for row in rows[1:]]
    assert scores == pytest.approx([row.score for row in expected], abs=1e-5)
    # the accuracies also where fewer translations are written
    for printed in (told.out, run("--overwrite", k=1, **options)[1].out):
        accuracies = dict(re.findall(r"^(accuracy@\d)  (\S+)", printed, flags=re.MULTILINE))
        assert accuracies == {name: f"{value:.4f}" for name, value in measured.values.items()}


def test_encoders_embed_words_that_the_vocabularies_lack(run, files, tiny_bert):
    words = ["cat", "dog", "man", "woman", "house", "tree", "red", "big", "green", "small", "runs"]
    (files / "vocabulary.txt").write_text("\n".join(words) + "\n")
    pairs = [f"the {word}\t{word}\n" for word in words] + ["a big tree\ta red tree\n"] * 2
    (files / "own.tsv").write_text("".join(pairs))
    (files / "words.txt").write_text("the big dog\ncat\n")
    options = {f"{side}_vectors": None for side in SIDES}
    options |= {f"{side}_vocabulary": files / "vocabulary.txt" for side in SIDES}
    options |= {"encoder": tiny_bert, "pooling": "mean", "device": "cpu", "regularisation": 1}
    options |= {"dictionary": files / "own.tsv", "words": files / "words.txt", "test_share": 0.3}
    rows, told = run(**options)
    assert [row[0] for row in rows[1:]] == ["the big dog"] * 5 + ["cat"] * 5
    assert {row[2] for row in rows[1:]} <= set(words)
    assert "held out: 4 source words" in told.out
    assert "left out" not in told.err


def test_a_dictionary_is_split_by_its_source_words():
    pairs = [(f"w{row % 17}", f"t{row}") for row in range(50)]
    train, test = split_by_source(pairs, 0.2, 33)
    assert sorted([*train, *test]) == sorted(pairs)
    held_out = {source for source, _ in test}
    assert len(held_out) == 3
    assert held_out.isdisjoint(source for source, _ in train)
    assert split_by_source(pairs, 0.2, 33) == (train, test)
    assert split_by_source(pairs, 0.2, 34) != (train, test)
    assert split_by_source(pairs, 0, 33) == (pairs, [])
    with pytest.raises(
        UserError, match="holding out 17 of the dictionary's 17 source words leaves none"
    ):
        split_by_source(pairs, 0.99, 33)


def test_pairs_stand_between_tabs_or_blanks(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("\ufeffcat chat\n\nNew  York\t la ville\tnote\r\ncat\tchat\ndog  chien\n")
    assert read_pairs(path) == [("cat", "chat"), ("New York", "la ville"), ("dog", "chien")]
    path.write_text(" a  b \n\nc\na b\n")
    assert read_words(path) == ["a b", "c"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dictionary": "one.tsv"}, r"one.tsv:2: expected a word and its translation, found one"),
        ({"dictionary": "tab.tsv"}, r"tab.tsv:1: expected a word and its translation, found one"),
        ({"dictionary": "three.tsv"}, r"three.tsv:1: .* found 3 words; put a tab between"),
        ({"dictionary": "empty"}, "empty: no pairs of words"),
        ({"dictionary": "nowhere.tsv"}, "--dictionary nowhere.tsv: no such file"),
        ({"dictionary": "strange.tsv"}, "strange.tsv: no training pair has vectors in both"),
        (
            {"dictionary": "few.tsv"},
            r"few.tsv: holding out 1 of the dictionary's 1 source words .*--test-share",
        ),
        ({"words": "empty"}, "empty: no words; write one a line"),
        ({"words": "strange.tsv"}, "none of the 3 words to translate has a vector"),
        ({"target_vocabulary": "empty"}, "empty: no words"),
        ({"source_vectors": "empty.vec"}, "empty.vec: no words"),
        ({"source_vectors": "wide.vec"}, "source vectors of 2 dimensions and target vectors of 6"),
        ({"source_vectors": "same.vec"}, "words of same.vec, centred: row 0 is a zero vector"),
        ({"source_vectors": None}, "--source-vectors: missing; give one for each language"),
        ({"encoder": "m"}, "not both"),
        ({"max_length": 9}, "--max-length: static vectors do not have this setting; leave it out"),
        ({"source_vectors": None, "target_vectors": None}, "give encoders"),
        (
            {"source_vectors": None, "target_vectors": None, "source_encoder": "m"},
            "--target-encoder: missing",
        ),
        (
            {"source_vectors": None, "target_vectors": None, "encoder": "m"},
            "--source-vocabulary: encoders need one",
        ),
        ({"k": 61}, "k = 61 neighbours of 60 target words"),
        ({"k": 0}, "--k 0: give 1 or more"),
        ({"threads": 0}, "--threads 0: give 1 or more"),
        ({"neighbours": 61}, "61 neighbours of a vocabulary of 60 words"),
        ({"test_share": 1}, "--test-share 1.0: give a share from 0 to less than 1"),
        ({"regularisation": -1}, "--regularisation -1.0: give 0 or more"),
        (
            {"regularisation": 1, "mapping": "orthogonal"},
            "--regularisation: --mapping orthogonal has none; remove it, or take",
        ),
    ],
)
def test_mistakes_are_named_and_leave_nothing(run, files, changes, message, monkeypatch):
    monkeypatch.chdir(files)
    contents = {"one.tsv": "sak tak\nsbk\n", "tab.tsv": "sak\t\n", "three.tsv": "a b c\n"}
    contents |= {"empty": "\n", "empty.vec": "", "strange.tsv": "x\ty\nz\tu\nv\tw\n"}
    contents |= {"few.tsv": "sak\ttak\n", "wide.vec": "60 2\n"}
    contents["wide.vec"] += "".join(f"{word_of('source', row)} 1 {row}\n" for row in range(60))
    same = "".join(f"{word_of('source', row)} 1 0 0 0 0 0\n" for row in range(60))
    contents["same.vec"] = f"60 6\n{same}"
    for name, text in contents.items():
        (files / name).write_text(text)
    before = sorted(files.rglob("*"))
    with pytest.raises(UserError, match=message):
        run(**changes)
    assert sorted(files.rglob("*")) == before


def test_odd_words_are_counted(run, files):
    words = ["sak", "", "x" * 100_000, "s\x01k", "  ", "sbk", "sak"]
    (files / "words.txt").write_text("\n".join(words))
    rows, told = run(words=files / "words.txt", k=1)
    assert [row[0] for row in rows[1:]] == ["sak", "sbk"]
    assert f"no vectors of 2 of 4 words to translate ({'x' * 40}, s\x01k); left out" in told.err
