"""The command `workflow_scripts.search`."""

import io
import json
import re
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from command_words import as_argv
from sentence_transformers.util import paraphrase_mining_embeddings, semantic_search
from tiny_models import encoder, make_bert, make_sentences, one_thread, tiny_bert, tiny_roberta

import mirror_bert
from workflow_scripts import search
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import StringEncoder, encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of
from workflow_scripts.retrieval import rankings
from workflow_scripts.retrieval.margin_mining import MARGINS, mine_pairs
from workflow_scripts.retrieval.suite_files import normalise

__all__ = ["encoder", "one_thread", "tiny_bert", "tiny_roberta"]

SENTENCES = make_sentences(40)
# line 2 is empty, 3 holds spaces only, 6 repeats 1
LINES = [SENTENCES[0], "", "  ", *SENTENCES[1:3], SENTENCES[0], *SENTENCES[3:]]
NUMBERS = [number for number in range(1, len(LINES) + 1) if number not in (2, 3, 6)]
QUERIES = ["the big dog runs", "a cat", SENTENCES[5], "a cat"]


@pytest.fixture
def vectors_of(encoder):
    """Returns the vectors of strings by the encoder, of unit length."""
    loaded, settings = load_model(str(encoder)), EncoderSettings("mean", 16)

    def encode(strings, prompt=""):
        texts = [prompt + string for string in strings]
        return normalise(encode_strings(loaded, texts, settings), "vectors")

    return encode


@pytest.fixture
def run(encoder, tmp_path):
    """Runs a mode on files of the given lines, with changes; returns the output's text."""
    (tmp_path / "strings.txt").write_text("\n".join(LINES) + "\n")
    (tmp_path / "queries.txt").write_text("\n".join(QUERIES) + "\n")
    (tmp_path / "targets.txt").write_text("\n".join(QUERIES + SENTENCES[:9]) + "\n")

    def run_command(mode, *flags, **changes):
        options = {"encoder": encoder, "strings": tmp_path / "strings.txt", "threads": 1}
        options |= {"output": tmp_path / "out" / "found.tsv", "device": "cpu"}
        options |= {
            "nearest": {"queries": tmp_path / "queries.txt"},
            "duplicates": {"threshold": -1},
            "bitext": {"targets": tmp_path / "targets.txt"},
        }[mode]
        options |= changes
        search.main([mode, *as_argv(options, *flags)])
        return Path(options["output"]).read_text()

    return run_command


def table(text):
    """Return the rows of a tsv below its header, as dictionaries."""
    head, *rows = (line.split("\t") for line in text.removesuffix("\n").split("\n"))
    return [dict(zip(head, row, strict=True)) for row in rows]


def column(rows, name):
    return [float(row[name]) for row in rows]


PROMPTS = {"query": "a man sees ", "passage": "the big "}
PROMPT = {"prompt": [*map("=".join, PROMPTS.items())]}


@pytest.mark.parametrize(
    ("options", "query", "passage"),
    [({"shard_size": 7}, "", ""), ({}, "", ""), (PROMPT, *PROMPTS.values())],
)
def test_nearest_strings_are_those_of_semantic_search(
    run, vectors_of, capsys, options, query, passage
):
    rows = table(run("nearest", k=5, **options))
    both = vectors_of(QUERIES, query), vectors_of(SENTENCES, passage)
    theirs = semantic_search(*both, top_k=5)
    expected = [hit for hits in theirs for hit in hits]
    assert [row["query"] for row in rows] == [query for query in QUERIES for _ in range(5)]
    assert [row["rank"] for row in rows] == [*"12345"] * len(QUERIES)
    assert [row["string"] for row in rows] == [SENTENCES[hit["corpus_id"]] for hit in expected]
    assert [row["line"] for row in rows] == [str(NUMBERS[hit["corpus_id"]]) for hit in expected]
    assert column(rows, "score") == pytest.approx([hit["score"] for hit in expected], abs=1e-5)
    told = capsys.readouterr().err.splitlines()[-1]
    assert "20 strings for 4 queries; " in told
    assert "strings.txt: 40 strings (repeated lines: 1, empty lines skipped: 2); " in told
    assert told.endswith("queries.txt: 3 strings (repeated lines: 1)")


def test_pairs_of_one_file_have_no_roles_and_so_none_of_their_prompts(run, tmp_path):
    pairs = run("duplicates", record=tmp_path / "record.json", **PROMPT)
    assert read_json(tmp_path / "record.json")["encoder"]["prompts"] == PROMPTS
    assert pairs == run("duplicates", "--overwrite")


def test_a_threshold_leaves_queries_without_a_string(run, capsys):
    everything = table(run("nearest", k=1000))
    assert len(everything) == len(QUERIES) * len(SENTENCES)
    rows = table(run("nearest", "--overwrite", k=1000, threshold=0.9))
    assert rows == [row for row in everything if float(row["score"]) >= 0.9]
    assert {row["query"] for row in rows} >= {SENTENCES[5]}
    # of the query that is a string itself; its score is 1 up to the last digits
    for threshold in (0.99999, 1):
        capsys.readouterr()
        text = run("nearest", "--overwrite", threshold=threshold)
        row = f"{SENTENCES[5]}\t1\t9\t1.000000\t{SENTENCES[5]}\n"
        assert text == "query\trank\tline\tscore\tstring\n" + row
        assert "(none for 3 of them)" in capsys.readouterr().err


def test_queries_come_from_stdin_and_json_lines_say_the_same(run, monkeypatch, tmp_path):
    expected = table(run("nearest"))
    lines = "\ufeff" + "\r\n".join(QUERIES)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    text = run("nearest", queries="-", output=tmp_path / "found.jsonl", record=tmp_path / "r.json")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [{**row, "score": f"{row['score']:.6f}"} for row in rows] == [
        {**row, "rank": int(row["rank"]), "line": int(row["line"])} for row in expected
    ]
    record = read_json(tmp_path / "r.json")
    assert record["queries"]["sha256"] == sha256_of(tmp_path / "queries.txt")


@pytest.mark.parametrize(("k", "threshold"), [(100, -1), (3, 0.2), (100, 0.7)])
def test_near_duplicates_are_those_of_paraphrase_mining(run, vectors_of, k, threshold):
    rows = table(run("duplicates", k=k, threshold=threshold))
    theirs = paraphrase_mining_embeddings(vectors_of(SENTENCES), top_k=k)
    expected = {(one, other): score for score, one, other in theirs if score >= threshold}
    number = {line: row for row, line in enumerate(NUMBERS)}
    pairs = [(number[int(row["line"])], number[int(row["other_line"])]) for row in rows]
    assert set(pairs) == set(expected) and len(pairs) == len(expected) > 0
    assert column(rows, "score") == pytest.approx([expected[pair] for pair in pairs], abs=1e-5)
    assert [(row["string"], row["other"]) for row in rows] == [
        (SENTENCES[one], SENTENCES[other]) for one, other in pairs
    ]
    assert column(rows, "score") == sorted(column(rows, "score"), reverse=True)


def test_neighbours_that_k_may_have_cut_off_are_told(run, capsys):
    run("duplicates", k=2)
    assert "(strings with 2 such neighbours or more: 40; raise --k for all)" in (
        capsys.readouterr().err
    )
    run("duplicates", "--overwrite", k=39)
    assert "raise --k" not in capsys.readouterr().err


@pytest.mark.parametrize("margin", MARGINS)
def test_translations_are_mined_by_margin(run, vectors_of, margin):
    threshold = {"ratio": 1.0, "distance": 0.0, "absolute": 0.5}[margin]
    rows = table(run("bitext", margin=margin, threshold=threshold))
    targets = list(dict.fromkeys(QUERIES + SENTENCES[:9]))
    found = mine_pairs(vectors_of(SENTENCES), vectors_of(targets), 4, margin)
    kept = found.scores >= threshold
    assert [row["string"] for row in rows] == [SENTENCES[row] for row in found.sources[kept]]
    assert [row["other"] for row in rows] == [targets[row] for row in found.targets[kept]]
    assert column(rows, "score") == pytest.approx(found.scores[kept], abs=1e-5)
    both = [(row["line"], row["other_line"]) for row in rows if row["string"] == row["other"]]
    # the targets hold sentence 0 on line 5, and a repeat on line 4
    assert {("1", "5"), ("4", "6")} <= set(both)
    assert len(both) == 9


def test_targets_may_have_an_encoder_of_their_own(run, tiny_bert, tmp_path):
    options = {"pooling": "cls", "target_encoder": tiny_bert, "record": tmp_path / "record.json"}
    rows = table(run("bitext", margin="distance", **options))
    assert 0 < len(rows) <= 11
    record = read_json(tmp_path / "record.json")
    assert (record["encoder"]["pooling"], record["target_encoder"]["pooling"]) == ("cls", "cls")
    assert record["target_encoder"]["model"] == tiny_bert.name
    wide = make_bert(tmp_path / "wide", hidden_size=48)
    with pytest.raises(UserError, match=r"vectors have 48 dimensions, those of .* 32; give two"):
        run("bitext", "--overwrite", pooling="cls", target_encoder=wide)


def test_a_record_says_what_was_searched_with_what(run, encoder, tmp_path):
    run("bitext", record=tmp_path / "record.json", k=3)
    record = read_json(tmp_path / "record.json")
    assert record["encoder"]["weights_sha256"] == sha256_of(encoder / "model.safetensors")
    assert {key: record[key] for key in ("mode", "k", "margin", "threshold")} == {
        **{"mode": "bitext", "k": 3, "margin": "ratio", "threshold": None}
    }
    digest = sha256_of(tmp_path / "strings.txt")
    assert record["strings"] == {"strings": 40, "repeats": 1, "empty": 2, "sha256": digest}
    assert str(tmp_path) not in json.dumps(record)


def test_very_long_lines_are_cut_and_odd_ones_kept(run, tmp_path):
    odd = ["a b" * 40_000, "a\x1cb\u2028c", "one\ttwo", "\u3000x"]
    (tmp_path / "strings.txt").write_text("\n".join(odd))
    text = run("nearest", output=tmp_path / "found.jsonl")
    found = [json.loads(line)["string"] for line in text.removesuffix("\n").split("\n")]
    assert len(found) == len(odd) * len(QUERIES) and set(found) == set(odd)


def test_a_single_string_has_no_near_duplicate(run, tmp_path, capsys):
    (tmp_path / "strings.txt").write_text("one\none\n")
    assert run("duplicates") == "score\tline\tother_line\tstring\tother\n"
    assert "0 pairs; " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("mode", "changes", "message"),
    [
        ("nearest", {"k": 0}, "--k 0: give 1 or more"),
        ("nearest", {"shard_size": 0}, "--shard-size 0: give 1 or more"),
        ("nearest", {"threshold": 2}, "--threshold 2.0: give a cosine, from -1 to 1"),
        ("bitext", {"k": 13}, "margin: 13 neighbours of 40 and 11 sentences; give a lower k"),
        ("nearest", {"threads": 0}, "--threads 0: give 1 or more"),
        ("nearest", {"backend": "onnx"}, "mirror-bert export --encoder"),
        ("nearest", {"encoder": "nowhere"}, "nowhere: no such folder, nor a cached hub model"),
        ("nearest", {"max_length": 900}, "--max-length 900: more than the 64 positions"),
        ("nearest", {"strings": "nowhere.txt"}, "--strings nowhere.txt: no such file"),
        ("bitext", {"target_encoder": "nowhere"}, "nowhere: no such folder, nor a cached hub"),
        ("nearest", {"queries": "empty.txt"}, "empty.txt: it contains no strings; write one per"),
        ("bitext", {"targets": "blank.txt"}, "blank.txt: it contains no strings; write one per"),
        ("duplicates", {"strings": "nul.txt"}, "nul.txt:2: a NUL character: the file is damaged"),
        ("duplicates", {"strings": "latin.txt"}, "latin.txt:2: not UTF-8 text"),
        ("duplicates", {"strings": "tab.txt"}, "tab.txt:2: contains a tab, .* give --format jsonl"),
        ("duplicates", {"strings": "return.txt"}, "return.txt:1: contains a carriage return, whi"),
        ("duplicates", {"strings": "tab.txt", "record": "tab.txt"}, "tab.txt: is read from"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(run, mode, changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = {"empty": b"", "blank": b"\n \n", "nul": b"a\nb\0\n", "latin": b"a\n\xff\n"}
    for name, content in (odd | {"tab": b"a\nb\tc\n", "return": b"a\rb\n"}).items():
        (tmp_path / f"{name}.txt").write_bytes(content)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match=message):
        run(mode, **changes)
    assert sorted(tmp_path.iterdir()) == before


def test_a_full_disk_is_one_line_and_the_vectors_are_kept(run, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(
            rankings, "atomic_text", lambda _: io.TextIOWrapper(io.FileIO("/dev/full", "w"))
        )
        with pytest.raises(UserError, match=r"found.tsv: cannot be written \(No space left"):
            run("duplicates")
    assert not (tmp_path / "out/found.tsv").exists()
    monkeypatch.setattr(StringEncoder, "encode", None)
    assert len(table(run("duplicates"))) == len(SENTENCES) * (len(SENTENCES) - 1) // 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["found.tsv"]


@pytest.mark.parametrize("stops", [1, 5, None])
@pytest.mark.parametrize("mode", search.MODES)
def test_a_stopped_run_goes_on_and_gives_the_same_bytes(run, monkeypatch, tmp_path, mode, stops):
    whole = run(mode, shard_size=7, output=tmp_path / "whole.tsv")
    encode, encoded = StringEncoder.encode, []

    def noting(encoder, strings, advance, role):
        if len(encoded) == stops:
            raise KeyboardInterrupt
        encoded.append([*strings])
        return encode(encoder, strings, advance, role=role)

    monkeypatch.setattr(StringEncoder, "encode", noting)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        # or, with all vectors there, in the search
        for name in ("find_nearest", "near_duplicates", "find_translations"):
            patch.setattr(search, name, Mock(side_effect=KeyboardInterrupt))
        run(mode, shard_size=7)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".found.tsv.vectors"]
    stops = None
    assert run(mode, shard_size=7) == whole
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["found.tsv"]
    # each string once
    others = {"nearest": 3, "duplicates": 0, "bitext": 11}[mode]
    assert sum(map(len, encoded)) == len(SENTENCES) + others


@pytest.mark.parametrize("shard_size", [7, 50_000])
def test_scores_that_are_not_numbers_are_named_by_line(run, monkeypatch, shard_size):
    encode = search.open_encoder

    class Broken:
        dimension = 2
        settings = EncoderSettings("mean")

        def encode(self, strings, advance, role):
            return np.array([[1, np.nan if string == LINES[17] else 1] for string in strings])

    monkeypatch.setattr(search, "open_encoder", lambda *given: (Broken(), encode(*given)[1]))
    with pytest.raises(UserError, match=r"strings.txt: row 18 is not finite"):
        run("duplicates", shard_size=shard_size)


@pytest.mark.parametrize("mode", ["nearest", "duplicates", "bitext"])
def test_a_report_shows_the_rows_of_the_output(mode, run, tmp_path):
    report = tmp_path / "report.html"
    rows = [line.split("\t") for line in run(mode, report=report).splitlines()]
    page, score = report.read_text(), rows[0].index("score")
    # the highest score that was written is on the page, with four digits
    highest = max(float(row[score]) for row in rows[1:])
    assert f"{highest:.4f}" in page
    assert len(page) < 100_000 and str(tmp_path) not in page
    # a second run replaces it, and no other file
    run(mode, "--overwrite", report=report)
    assert report.read_text() == page
    with pytest.raises(UserError, match=r"--report .*strings\.txt: is read from"):
        run(mode, "--overwrite", report=tmp_path / "strings.txt")


@pytest.mark.parametrize("kind", ["int8", "binary"])
def test_codes_find_neighbours_that_float_vectors_score(kind, run, tmp_path, encoder, capsys):
    strings = [f"the {color} {name}" for color in ("red", "small", "green") for name in SENTENCES]
    strings += [f"{string} near" for string in strings]
    (tmp_path / "many.txt").write_text("\n".join(strings) + "\n")
    changes = {"strings": tmp_path / "many.txt", "k": 3}
    exact = table(run("nearest", **changes))
    record = tmp_path / "record.json"
    rows = table(run("nearest", "--overwrite", quantization=kind, record=record, **changes))
    (recall,) = re.findall(rf"^{kind}: recall@3 (\S+) on a sample$", capsys.readouterr().err, re.M)
    same = [row in exact for row in rows]
    assert sum(same) / len(rows) == pytest.approx(float(recall), abs=0.1)
    assert float(recall) > 0.7
    assert read_json(record)["quantization"] == kind
    loaded = mirror_bert.load(encoder, device="cpu")
    frame = mirror_bert.search(loaded, QUERIES, strings, k=3, quantization=kind)
    assert [*map(str, frame["line"])] == [row["line"] for row in rows]
    assert frame.attrs["recall"] == f"{kind}: recall@3 {recall} on a sample"


@pytest.mark.parametrize("mode", ["nearest", "duplicates", "bitext"])
def test_leading_units_are_searched_and_their_loss_printed(mode, run, capsys):
    more = {"k": 2} if mode == "bitext" else {}
    run(mode, dimensions=6, **more)
    told = capsys.readouterr().err
    count = {"nearest": "3 queries among 40", "duplicates": "20 queries among 20"}
    count["bitext"] = "40 queries among 11"
    assert re.search(rf"dimensions 6 of 32: recall@10 \S+ of .*, of {count[mode]} strings", told)
