"""The command `workflow_scripts.link`: links against all products, index, streams, mistakes."""

import io
import json
import re
import shutil
import sys

import numpy as np
import pytest
from command_words import as_argv
from tiny_models import edit_model, encoder, make_sentences, one_thread, tiny_bert, tiny_roberta

import mirror_bert
from workflow_scripts import link
from workflow_scripts.command_main import run_command
from workflow_scripts.embedding import vector_shards
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.locking import sole_run
from workflow_scripts.retrieval.mention_links import COLUMNS

__all__ = ["encoder", "one_thread", "tiny_bert", "tiny_roberta"]

NAMES = [(f"C{number // 3}", text) for number, text in enumerate(dict.fromkeys(make_sentences(40)))]
MENTIONS = ["the red cat", "a dog", "", "house", "the red cat", NAMES[5][1]]


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "names.tsv", tmp_path / "mentions.txt"
    paths[0].write_text("".join(f"{one}\t{name}\n" for one, name in NAMES))
    paths[1].write_text("\n".join(MENTIONS) + "\n")
    return paths


@pytest.fixture
def run(encoder, files, tmp_path):
    """Runs the command with changes; returns the rows of the output."""

    def run_command(*flags, **changes):
        options = {"encoder": encoder, "names": files[0], "mentions": files[1], "threads": 1}
        options |= {"device": "cpu", "output": tmp_path / "links.tsv", **changes}
        link.main(as_argv(options, *flags))
        if options["output"] is None:
            return None
        lines = options["output"].read_text().splitlines()
        return [tuple(line.split("\t")) for line in lines]

    return run_command


def test_of_two_runs_at_once_the_second_is_refused_unless_the_index_is_made(run, tmp_path):
    index = tmp_path / "index"
    with sole_run("--index", index), pytest.raises(UserError, match=r"--index .*another run is wr"):
        run(index=index)
    links = run(index=index)
    with sole_run("--index", index):
        assert run("--overwrite", index=index) == links
    assert not [*tmp_path.glob(".*")]


PROMPTS = {"query": "a man sees ", "passage": "the big "}


def expected_links(encoder, k, grouped=True, cosine=True, dtype=np.float32, prompts=None):
    """All products, in float64, a stable sort, then an id's best name alone."""
    loaded, settings = load_model(str(encoder)), EncoderSettings("mean", 16)
    asked = [text for text in MENTIONS if text]
    names, mentions = (
        encode_strings(loaded, [(prompts or {}).get(role, "") + text for text in texts], settings)
        for role, texts in (("passage", [name for _, name in NAMES]), ("query", asked))
    )
    if cosine:
        names, mentions = (
            one / np.linalg.norm(one, axis=1, keepdims=True) for one in (names, mentions)
        )
    scores = mentions.astype(np.float64) @ names.astype(dtype).astype(np.float64).T
    rows = []
    for mention, own in zip(asked, scores, strict=True):
        found = {}
        for row in np.argsort(-own, kind="stable"):
            found.setdefault(NAMES[row][0] if grouped else row, row)
        for rank, row in enumerate(list(found.values())[:k], start=1):
            rows.append((mention, rank, *NAMES[row], own[row]))
    return rows


def assert_links(rows, expected):
    assert rows[0] == COLUMNS
    assert [(one[0], int(one[1]), one[2], one[3]) for one in rows[1:]] == [
        one[:4] for one in expected
    ]
    scores = [float(one[4]) for one in rows[1:]]
    np.testing.assert_allclose(scores, [one[4] for one in expected], atol=2e-5)


@pytest.mark.parametrize(
    ("options", "k", "expected"),
    [
        ({"similarity": "cosine"}, 4, {}),
        ({"similarity": "dot"}, 4, {"cosine": False}),
        ({"each-name": True}, 4, {"grouped": False}),
        ({"each-name": True, "similarity": "dot"}, 4, {"grouped": False, "cosine": False}),
        ({"dtype": "float16"}, 5, {"dtype": np.float16}),
        # all lists are searched: nothing is missed
        ({"approximate": 1000}, 5, {}),
        ({"prompt": [*map("=".join, PROMPTS.items())]}, 4, {"prompts": PROMPTS}),
        # more than there are
        ({}, 500, {}),
    ],
)
def test_links_are_those_of_all_products(options, k, expected, run, encoder, tmp_path, capsys):
    flags = [f"--{key}" for key, value in options.items() if value is True]
    values = {key: value for key, value in options.items() if value is not True}
    rows = run(*flags, **values, k=k, index=tmp_path / "index")
    assert_links(rows, expected_links(encoder, k, **expected))
    told = capsys.readouterr().err
    assert "5 mentions, 1 blank ones left out" in told
    assert ("approximate search: recall@5 1.0000" in told) == ("approximate" in options)
    assert np.load(tmp_path / "index/vectors.npy").dtype == options.get("dtype", "float32")
    assert k < 500 or len(rows) - 1 == 5 * len({identity for identity, _ in NAMES})


def test_an_index_answers_without_the_names_and_embeds_nothing(run, tmp_path, monkeypatch, encoder):
    first = run(index=tmp_path / "index")
    assert sorted(path.name for path in (tmp_path / "index").iterdir()) == [
        *("index.json", "names.tsv", "vectors.npy"),
    ]
    monkeypatch.setattr(vector_shards, "write_shard", None)
    shutil.copytree(encoder, tmp_path / "elsewhere")
    again = {"index": tmp_path / "index", "names": None, "encoder": tmp_path / "elsewhere"}
    assert run("--overwrite", **again) == first
    assert not list(tmp_path.glob(".*"))


def other_names(encoder, index):
    index.with_name("names.tsv").write_text("C1\tother\n")


def changed_index(encoder, index):
    (index / "names.tsv").write_text("C1\tother\n")


ALONE = {"names": None}
EDITED = "made with another config.json or tokenizer: model_sha256"


@pytest.mark.parametrize(
    ("edit", "flags", "options", "message"),
    [
        (None, [], {"pooling": "cls"}, "made with pooling mean, but now it is cls"),
        (None, [], {"dimensions": 7}, "made with dimensions None, but now it is 7"),
        (None, [], {"prompt": "passage=the "}, "made with prompts .*, but now it is .*the "),
        (None, [], {"encoder": "other"}, "made with weights_sha256"),
        (None, ["--lower-case"], {}, "made with --lower-case False, but now it is True"),
        (other_names, [], {}, "index: an index made from other files of names; give another --in"),
        (changed_index, [], ALONE, "changed since it was made"),
        *(
            (lambda encoder, _, name=name: edit_model(encoder, name), [], names, EDITED)
            for name in ("config.json", "tokenizer.json")
            for names in ({}, ALONE)
        ),
        *(
            (None, flags, ALONE, f"made with {flags[0]} .*; give another --index or")
            for flags in (["--lower-case"], ["--language", "SPA"], ["--names-format", "lines"])
        ),
    ],
)
def test_an_index_of_something_else_is_refused(
    edit, flags, options, message, run, tmp_path, encoder, tiny_bert
):
    index = tmp_path / "index"
    run(index=index)
    if edit is not None:
        edit(encoder, index)
    if options.get("encoder"):
        options = {"encoder": tiny_bert, "pooling": "mean", "max_length": 16}
    with pytest.raises(UserError, match=message):
        run("--overwrite", *flags, **{"index": index, **options})


def test_without_names_mentions_are_read_as_those_of_the_index(run, files, tmp_path):
    files[1].write_text("The RED cat\nA Dog\n")
    index = {"index": tmp_path / "index"}
    lower = run("--lower-case", **index)
    plain = run("--overwrite")
    assert [row[2:] for row in lower] != [row[2:] for row in plain]
    assert run("--overwrite", names=None, **index) == lower
    assert run("--overwrite", "--lower-case", names=None, **index) == lower
    (tmp_path / "index" / "vectors.npy").unlink()
    with pytest.raises(UserError, match="--names: give files of names, or a finished --index"):
        run("--overwrite", names=None, **index)
    assert run("--overwrite", **index) == plain


@pytest.mark.parametrize("index", [None, "index"])
def test_a_cut_run_goes_on_where_it_was(index, run, tmp_path, monkeypatch, capsys):
    whole = run(index=tmp_path / "whole")
    write_shard, shards = vector_shards.write_shard, iter("ab")

    def cut(*arguments):
        if next(shards, None) is None:
            raise KeyboardInterrupt
        write_shard(*arguments)

    options = {"index": index and tmp_path / index, "output": tmp_path / "cut.tsv", "shard_size": 7}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(vector_shards, "write_shard", cut)
        run(**options)
    assert not options["output"].exists()
    capsys.readouterr()
    assert run(**options) == whole
    assert "continuing: 14 of 40" in capsys.readouterr().err


def test_threshold_and_margin_leave_mentions_without_a_link(run, encoder):
    expected = expected_links(encoder, 2)
    firsts = [one for one in expected if one[1] == 1]
    # between two, since their last digits depend on the processor
    middle = float(np.mean(sorted({one[4] for one in firsts})[1:3]))
    rows = run(threshold=middle, k=1)
    linked = {one[0]: one[1] != "0" for one in rows[1:]}
    assert linked == {one[0]: one[4] >= middle for one in firsts}
    assert ("a dog", "0", "", "", "") in rows or linked["a dog"]
    gaps = {
        first[0]: first[4] - second[4]
        for first, second in zip(firsts, [one for one in expected if one[1] == 2], strict=True)
    }
    least = float(np.mean(sorted(gaps.values())[1:3]))
    rows = run("--overwrite", margin=least, k=1)
    assert {one[0]: one[1] != "0" for one in rows[1:]} == {
        text: gap > least for text, gap in gaps.items()
    }


def test_a_score_that_is_written_as_the_threshold_or_margin_reaches_it(run, files):
    files[1].write_text("\n".join(name for _, name in NAMES))
    assert {row[4] for row in run("--k", "1")[1:]} == {"1.000000"}
    assert "0" not in {row[1] for row in run("--k", "1", "--threshold", "1", "--overwrite")[1:]}


def test_gold_ids_give_accuracy_and_the_errors(run, encoder, tmp_path, capsys):
    best = {one[0]: one for one in expected_links(encoder, 3)}
    firsts = [one for one in expected_links(encoder, 3) if one[1] == 1]
    third = best[firsts[1][0]]
    mentions = tmp_path / "mentions.tsv"
    mentions.write_text(
        f"text\tid\n{firsts[0][0]}\tX:{firsts[0][2]}|C77\n{third[0]}\t{third[2]}\nhouse\tC99\n"
    )
    columns = {"mention_column": "text", "gold_column": "id", "errors": tmp_path / "errors.tsv"}
    run(mentions=mentions, k=3, **columns)
    printed = capsys.readouterr().err
    assert "3 with gold ids: accuracy@1 0.3333, accuracy@3 0.6667" in printed
    assert "1 with gold ids that no name has, such as 'C99': counted as wrong" in printed
    errors = [line.split("\t") for line in (tmp_path / "errors.tsv").read_text().splitlines()]
    assert [(one[0], one[1], one[5]) for one in errors[1:]] == [
        (third[0], third[2], "3"),
        ("house", "C99", "-"),
    ]
    assert errors[1][2:4] == list(firsts[1][2:4])


def test_standard_input_is_answered_line_by_line_as_json(
    run, tmp_path, monkeypatch, capsys, encoder
):
    given = io.TextIOWrapper(io.BytesIO(b"the red cat\n\na dog"))
    monkeypatch.setattr(sys, "stdin", given)
    options = {"mentions": "-", "output": None, "index": tmp_path / "index", "k": 2}
    run("--unbuffered", format="jsonl", **options)
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["mention"] for one in found] == ["the red cat", "a dog"]
    expected = [one for one in expected_links(encoder, 2) if one[0] == "a dog"]
    assert [(one["id"], one["name"]) for one in found[1]["links"]] == [one[2:4] for one in expected]


def test_odd_names_and_mentions_are_taken(run, files):
    files[0].write_text("C1\ta\x01b\nC2\t" + "long " * 20_000 + "\nC3||x\tdog\n")
    files[1].write_text("dog\n" + "long " * 20_000 + "\n\x01\n")
    rows = run(k=1)
    assert rows[1][2:4] == ("C3||x", "dog") and rows[2][2] == "C2"
    assert len(rows) == 4


def test_links_in_a_pipe_are_the_bytes_of_those_in_a_file(run, files, tmp_path, capsys):
    """Control characters too, which messages have escaped."""
    files[1].write_text("a \x1b[31mred\u202e dog\n")
    run(k=1, index=tmp_path / "index")
    run_command(lambda: run(k=1, output=None, index=tmp_path / "index"))
    piped = capsys.readouterr().out
    assert piped == (tmp_path / "links.tsv").read_text() and "\x1b[31m" in piped


MISTAKES = [
    ({"k": 0}, "--k 0: give 1 or more"),
    ({"threads": 0}, "--threads 0: give 1 or more"),
    ({"names": None}, "--names: give files of names"),
    ({"names": "none.tsv"}, "--names none.tsv: no such file"),
    ({"names": "-"}, "--names -: standard input is not supported here; give a file"),
    ({"mentions": "none.txt"}, "--mentions none.txt: no such file"),
    ({"output": None}, "--index: links go to standard output"),
    ({"output": "-"}, "--index: links go to standard output"),
    ({"errors": "e.tsv"}, "--errors: no correct ids"),
    ({"mention_column": "3"}, "mentions.txt:1: no column 3, found 1"),
    ({"mention_column": "text"}, "mentions.txt:1: no column 'text'"),
    ({"quantization": "int8", "approximate": 3}, "--quantization: --approximate is given too"),
]


@pytest.mark.parametrize(("changes", "message"), MISTAKES)
def test_mistakes_are_one_line_and_leave_no_output(changes, message, run, tmp_path):
    with pytest.raises(UserError, match=message) as error:
        run(**changes)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "links.tsv").exists()


def test_an_index_takes_no_folder_of_other_files(run, files, tmp_path):
    with pytest.raises(UserError, match=r"--index \S+: \S+names.tsv is read from"):
        run(index=tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    with pytest.raises(UserError, match=r"--index \S+mine: holds notes.txt"):
        run(index=tmp_path / "mine")


def test_a_report_shows_the_links_with_their_known_ids(run, files, tmp_path):
    rows = [f"{mention}\t{NAMES[5][0]}" for mention in MENTIONS if mention]
    files[1].write_text("\n".join(rows) + "\n")
    report = tmp_path / "report.html"
    links = run(mention_column=1, gold_column=2, report=report)
    page = report.read_text()
    best = [row for row in links[1:] if row[1] == "1"]
    assert f"{len(best)} of {len(rows)} mentions are linked; " in page
    assert all(f">{float(row[4]):.4f}<" in page for row in best)
    assert "Precision and coverage" in page and "right?" in page
    (tmp_path / "own.html").write_text("mine")
    with pytest.raises(UserError, match=r"own\.html: is another file, and is not replaced"):
        run("--overwrite", report=tmp_path / "own.html")


@pytest.fixture
def many(files, encoder):
    """More names than are scored again, so that codes miss some; some mentions are right."""
    names = [
        f"the {color} {name}" for color in ("red", "small", "green") for name in make_sentences(90)
    ]
    files[0].write_text("".join(f"C{row}\t{name}\n" for row, name in enumerate(names)))
    files[1].write_text(
        "".join(f"{name} near\tC{4 * row}\n" for row, name in enumerate(names[::4]))
    )
    return files


@pytest.mark.parametrize(
    "options", [{"quantization": "int8"}, {"quantization": "binary"}, {"approximate": 1}]
)
def test_what_a_search_of_less_memory_misses_is_told(options, run, many, tmp_path, capsys):
    columns = {"mention_column": 1, "gold_column": 2, "k": 3}
    exact = run(**columns)
    capsys.readouterr()
    rows = run("--overwrite", index=tmp_path / "index", **options, **columns)
    name, told = options.get("quantization", "approximate search"), capsys.readouterr().err
    (recall,) = re.findall(rf"^{name}: recall@3 (\d\.\d{{4}}) on a sample$", told, re.M)
    (accuracies,) = re.findall(
        rf"^{name}: accuracy@1 (\S+), of exact search (\S+), on the first 68 mentions", told, re.M
    )
    right = [
        sum(row[2] == f"C{4 * number}" for number, row in enumerate(links[1::3])) / 68
        for links in (rows, exact)
    ]
    assert [float(share) for share in accuracies] == pytest.approx(right, abs=1e-4)
    # a name that both find has the same score
    ours, theirs = ({(row[0], *row[2:]) for row in links[1:]} for links in (rows, exact))
    assert len(ours & theirs) / len(theirs) == pytest.approx(float(recall), abs=0.01)
    assert (float(recall) > 0.9) == ("quantization" in options)
    assert (right[0] < right[1]) == ("approximate" in options)


@pytest.mark.parametrize(("kind", "other"), [("int8", "binary"), ("binary", None)])
def test_codes_are_kept_for_runs_without_the_names_and_for_their_kind(kind, other, run, tmp_path):
    index = {"index": tmp_path / "index"}
    rows = run(quantization=kind, **index)
    made = (tmp_path / "index" / "codes.faiss").stat().st_mtime_ns
    assert run("--overwrite", quantization=kind, names=None, **index) == rows
    assert (tmp_path / "index" / "codes.faiss").stat().st_mtime_ns == made
    message = f"an index made with quantization {kind}, but now it is {other}; give another"
    with pytest.raises(UserError, match=message):
        run("--overwrite", quantization=other, **index)


def test_an_index_of_leading_units_says_what_they_lose(run, many, tmp_path, capsys):
    index = tmp_path / "index"
    columns = {"mention_column": 1, "gold_column": 2}
    run(dimensions=6, index=index, **columns)
    told = capsys.readouterr().err
    assert "dimensions 6 of 32: recall@10 0." in told
    assert "of 68 queries among 270 strings" in told
    assert np.load(index / "vectors.npy").shape[1] == 6
    quantized = run("--overwrite", dimensions=6, quantization="int8", **columns)
    assert len(quantized) > 68


@pytest.mark.parametrize(("kind", "dimensions"), [("binary", None), ("int8", 6)])
def test_linking_in_memory_takes_codes_too(kind, dimensions, run, many, encoder):
    pairs = [tuple(line.split("\t")) for line in many[0].read_text().splitlines()]
    mentions = [line.split("\t")[0] for line in many[1].read_text().splitlines()]
    loaded = mirror_bert.load(encoder, device="cpu", dimensions=dimensions)
    frame = mirror_bert.link(loaded, pairs, mentions, k=3, quantization=kind)
    rows = run(mention_column=1, k=3, quantization=kind, dimensions=dimensions)
    assert [*zip(frame["mention"], frame["id"], strict=True)] == [(r[0], r[2]) for r in rows[1:]]
    assert frame.attrs["recall"].startswith(f"{kind}: recall@3 ")
    assert "recall" not in mirror_bert.link(loaded, pairs, mentions, k=3).attrs
