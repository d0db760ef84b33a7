"""Columns of tables: the same strings from every form, those that pandas reads, and one error."""

import json

import datasets
import pandas
import pytest
from tiny_models import tiny_bert

import mirror_bert
from workflow_scripts import embed, search, tune
from workflow_scripts.errors import UserError
from workflow_scripts.string_columns import column_names, form_of, require_lines

__all__ = ["tiny_bert"]

FRAME = pandas.DataFrame(
    {
        "id": [1, 2, 3, 4],
        "name": ["heart attack", 'a "b", c', "café", " d  e"],
        "type": ["disease", "disease", "drug", "disease"],
    }
)
FILES = ("t.csv", "t.csv.gz", "t.tsv", "t.jsonl", "t.jsonl.gz", "t.parquet", "saved")


def save(folder, name, frame=FRAME):
    path = folder / name
    if name == "saved":
        datasets.Dataset.from_pandas(frame).save_to_disk(path)
    elif ".csv" in name:
        frame.to_csv(path, index=False)
    elif name.endswith(".tsv"):
        # without quotes, as TSV is read
        rows = [frame.columns, *frame.astype(str).to_numpy()]
        path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    elif ".jsonl" in name:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("name", FILES)
def test_each_form_has_the_strings_that_pandas_wrote(tmp_path, name):
    path = save(tmp_path, name)
    assert column_names(path) == [*FRAME.columns]
    assert mirror_bert.read_strings(path, "name") == [*FRAME["name"]]
    diseases = FRAME[FRAME["type"] == "disease"]
    assert mirror_bert.read_strings(path, "name", {"type": "disease"}) == [*diseases["name"]]
    both = FRAME[FRAME["type"].isin(["disease", "drug"]) & FRAME["id"].isin([2, 3])]
    where = {"type": ["drug", "disease"], "id": ["3", "2"]}
    assert mirror_bert.read_strings(path, "name", where) == [*both["name"]]
    # numbers as text
    pairs = [*zip(FRAME["id"].astype(str), FRAME["name"], strict=True)]
    assert mirror_bert.read_strings(path, ["id", "name"]) == pairs
    with pytest.raises(UserError, match=r"nam.*name"):
        mirror_bert.read_strings(path, "nam")


def test_a_file_without_header_has_numbered_columns(tmp_path):
    (tmp_path / "t.csv").write_text('1,"a, b"\n2,c\n')
    assert mirror_bert.read_strings(tmp_path / "t.csv", "2") == ["a, b", "c"]
    (tmp_path / "h.csv").write_text("id,name\n2,c\n")
    with pytest.raises(UserError, match=r"h.csv:1: looks like a header.*\(id\)"):
        mirror_bert.read_strings(tmp_path / "h.csv", ["1", "2"])
    with pytest.raises(UserError, match="no column 0"):
        mirror_bert.read_strings(tmp_path / "t.csv", "0")


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet", "saved"])
def test_a_row_without_a_string_is_named(tmp_path, name):
    path = save(tmp_path, name, pandas.DataFrame({"name": ["a", None]}))
    with pytest.raises(UserError, match=rf"{name}:2: .*'name'"):
        mirror_bert.read_strings(path, "name")


def test_damaged_tables_are_one_error(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1nothing")
    with pytest.raises(UserError, match=r"t.parquet: not a Parquet file"):
        mirror_bert.read_strings(tmp_path / "t.parquet", "name")
    with pytest.raises(UserError, match=r"u.parquet: no such file"):
        mirror_bert.read_strings(tmp_path / "u.parquet", "name")
    split = datasets.DatasetDict({"train": datasets.Dataset.from_pandas(FRAME)})
    split.save_to_disk(tmp_path / "splits")
    with pytest.raises(UserError, match="splits: has the splits train; give the folder of one"):
        mirror_bert.read_strings(tmp_path / "splits", "name")


def test_a_package_that_is_not_there_is_named(tmp_path, monkeypatch):
    path = save(tmp_path, "t.parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(UserError, match=r"needs the package pyarrow.*; pip install pyarrow"):
        mirror_bert.read_strings(path, "name")


def test_a_table_is_never_read_as_lines(tmp_path):
    for name in FILES:
        with pytest.raises(UserError, match=r"with the columns id, name, type; use a column"):
            require_lines("--strings", save(tmp_path, name), "use a column")
    for name, text in (("a.txt", "a,b\n"), ("a.tsv", "one\ntwo\n"), ("a", "x\ty\n")):
        (tmp_path / name).write_text(text)
        require_lines("--strings", tmp_path / name, "use a column")
    assert form_of(tmp_path) is None
    assert form_of(tmp_path / "a.parquet.gz") is None


def test_line_ends_within_a_string_are_kept(tmp_path):
    (tmp_path / "t.csv").write_text('name\n"a\nb"\nc\n')
    assert mirror_bert.read_strings(tmp_path / "t.csv", "name") == ["a\nb", "c"]


# ---- commands ------------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path):
    rows = [f"{n},word {n},{'ab'[n % 2]}\n" for n in range(8)]
    (tmp_path / "t.csv").write_text("".join(["id,name,of\n", *rows]))
    lines = [f"word {n}\n" for n in range(8) if n % 2 == 0]
    (tmp_path / "lines.txt").write_text("".join(lines))
    return tmp_path


COLUMN = ("--column", "name", "--where", "of=a")


def test_tuning_on_a_column_is_tuning_on_its_lines(words, tiny_bert):
    shared = ["--model", str(tiny_bert), "--recipe", "mirror-phrase", "--set", "batch_size=2"]
    for corpus, more in (("t.csv", COLUMN), ("lines.txt", ())):
        output = ["--output", str(words / corpus.replace(".", "-")), "--threads", "1"]
        tune.main([*shared, *output, "--corpus", str(words / corpus), *more, "--device", "cpu"])
    records = [
        json.loads((words / name / "encoder.json").read_text()) for name in ("t-csv", "lines-txt")
    ]
    assert records[0]["weights_sha256"] == records[1]["weights_sha256"]
    assert records[0]["corpus"].pop("name") == "t.csv[name, of=a]"
    assert records[1]["corpus"].pop("name") == "lines.txt"
    assert records[0]["corpus"] == records[1]["corpus"]


def test_embedding_a_column_is_embedding_its_lines(words, tiny_bert):
    vectors = []
    for strings, more in (("t.csv", COLUMN), ("lines.txt", ())):
        files = ["--output", str(words / "v.npy"), "--record", str(words / "v.json")]
        argv = ["--model", str(tiny_bert), "--strings", str(words / strings), *files, *more]
        embed.main([*argv, "--pooling", "mean", "--overwrite"])
        record = json.loads((words / "v.json").read_text())
        vectors.append(((words / "v.npy").read_bytes(), record["strings_sha256"]))
    assert vectors[0] == vectors[1]


def test_searching_columns_gives_the_lines_of_the_table(words, tiny_bert):
    (words / "q.txt").write_text("word 2\n")
    files = ["--strings", str(words / "t.csv"), "--queries", str(words / "q.txt")]
    files += ["--output", str(words / "n.tsv"), "--k", "1", "--pooling", "mean"]
    search.main(["nearest", "--encoder", str(tiny_bert), *files, *COLUMN])
    assert (words / "n.tsv").read_text().splitlines()[1].split("\t")[:3] == ["word 2", "1", "4"]


@pytest.mark.parametrize(
    ("words_given", "message"),
    [
        ((), r"--strings .*t.csv: is a table \(CSV\) with the columns id, name, of; name the co"),
        (("--where", "of=a"), "--where: no column of a table to read; give --column too"),
        (("--column", "name", "of"), "--column: the strings need a single column"),
        (("--column", "name", "--where", "of"), "--where of: write COLUMN=VALUE"),
        (("--column", "name", "--where", "of=c"), "no strings to embed"),
    ],
)
def test_options_of_tables_are_checked(words, tiny_bert, words_given, message):
    files = ["--strings", str(words / "t.csv"), "--output", str(words / "v.npy")]
    with pytest.raises(UserError, match=message):
        embed.main(["--model", str(tiny_bert), *files, *words_given, "--pooling", "mean"])


def test_strings_of_python_are_not_the_path_of_a_table(words, tiny_bert):
    with pytest.raises(UserError, match=r"t.csv: is a table.*mirror_bert.read_strings"):
        mirror_bert.tune(str(tiny_bert), words / "t.csv", pooling="mean")
