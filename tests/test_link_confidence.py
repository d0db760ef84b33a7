"""Commands and Python: confidences of links, thresholds of a precision, documents, UMLS's types."""

import json
import random

import pandas
import pytest
from tiny_models import encoder, make_sentences, one_thread, tiny_bert, tiny_roberta
from written_files import write

import mirror_bert
from workflow_scripts import link
from workflow_scripts.errors import UserError

__all__ = ["encoder", "one_thread", "tiny_bert", "tiny_roberta"]

NAMES = [(f"C{n}", text) for n, text in enumerate(dict.fromkeys(make_sentences(40)))]


def misspelt(text, draw):
    place = draw.randrange(len(text) - 1)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]


def mentions_of(number=30):
    """Names of which a third is misspelt, which the tiny encoder takes for others."""
    draw = random.Random(7)
    rows = [(*draw.choice(NAMES), n % 3 == 0) for n in range(number)]
    return [(misspelt(text, draw) if spoilt else text, one) for one, text, spoilt in rows]


@pytest.fixture
def files(tmp_path):
    pandas.DataFrame(NAMES, columns=["id", "name"]).to_csv(tmp_path / "names.csv", index=False)
    frame = pandas.DataFrame(mentions_of(), columns=["mention", "id"])
    frame.to_csv(tmp_path / "known.csv", index=False)
    frame[["mention"]].to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


@pytest.fixture
def run(encoder, files, monkeypatch):
    monkeypatch.chdir(files)

    def run_command(*words, names=True, form="tsv"):
        shared = ["--encoder", str(encoder), "--device", "cpu", "--threads", "1", "--overwrite"]
        columns = ["--names", "names.csv", "--id-column", "id", "--name-column", "name"]
        shared += columns if names else []
        link.main([*shared, "--output", f"links.{form}", "--format", form, *map(str, words)])
        if form == "jsonl":
            return [json.loads(line) for line in (files / "links.jsonl").open()]
        return pandas.read_csv(files / "links.tsv", sep="\t")

    return run_command


KNOWN = ("--mentions", "known.csv", "--mention-column", "mention", "--gold-column", "id")
NEW = ("--mentions", "new.csv", "--mention-column", "mention")


def test_a_calibration_serves_mentions_without_gold_ids(run, files, capsys):
    fitted = run(*KNOWN, "--write-calibration", "c.json", "--k", 2)
    printed = capsys.readouterr().err
    assert "confidence: fitted on " in printed and "calibration written to c.json" in printed
    assert fitted.columns.tolist() == ["mention", "rank", "id", "name", "score", "confidence"]
    assert not fitted["score"].isna().any()
    best, others = fitted[fitted["rank"] == 1], fitted[fitted["rank"] == 2]
    assert best["confidence"].between(0, 1).all() and others["confidence"].isna().all()
    # no higher score has a lower confidence
    assert best.sort_values("score")["confidence"].is_monotonic_increasing
    pandas.testing.assert_frame_equal(run(*NEW, "--calibration", "c.json", "--k", 2), fitted)
    [row, *_] = run(*NEW, "--calibration", "c.json", "--k", 2, form="jsonl")
    assert row["links"][0]["confidence"] == fitted["confidence"][0]
    assert "confidence" not in row["links"][1]
    # gold ids of all these mentions check a calibration that is there
    capsys.readouterr()
    run(*KNOWN, "--calibration", "c.json")
    assert "; on these 30:" in capsys.readouterr().err
    before = (files / "c.json").read_bytes()
    run(*KNOWN, "--write-calibration", "c.json")
    assert (files / "c.json").read_bytes() == before
    run(*KNOWN, "--write-calibration", "c.json", "--seed", 5)
    assert (files / "c.json").read_bytes() != before


def test_a_wanted_precision_leaves_the_others_without_a_link(run, capsys):
    all_linked = run(*KNOWN, "--write-calibration", "c.json", "--k", 1)
    links = run(*KNOWN, "--target-precision", 0.9, "--k", 1)
    printed = capsys.readouterr().err
    threshold = float(printed.split("links need a score of ")[1].split()[0])
    linked = all_linked["score"] >= threshold
    assert (links["rank"] > 0).tolist() == linked.tolist() and linked.sum() > 0
    assert f"{(~linked).sum()} of them not linked" in printed or linked.all()
    # the same from the file, of mentions without gold ids
    of_file = run(*NEW, "--calibration", "c.json", "--target-precision", 0.9, "--k", 1)
    pandas.testing.assert_frame_equal(of_file, links)


def test_python_has_the_links_of_the_command(run, encoder, files):
    expected = run(*KNOWN, "--target-precision", 0.9, "--write-calibration", "c.json", "--k", 2)
    texts, gold = zip(*mentions_of(), strict=True)
    loaded = mirror_bert.load(encoder, device="cpu")
    options = {"target_precision": 0.9, "k": 2}
    links = mirror_bert.link(loaded, NAMES, texts, gold=gold, **options)
    own = links.attrs["calibration"]
    for frame in (
        links,
        mirror_bert.link(loaded, NAMES, texts, calibration=own, **options),
        # the command's file, and its encoder and names by other ways
        mirror_bert.link(loaded, NAMES, texts, calibration=files / "c.json", **options),
    ):
        pandas.testing.assert_frame_equal(
            *(frame.round({"score": 6, "confidence": 4}), expected), check_dtype=False, atol=2e-6
        )
    assert any("target precision 0.9: links need" in line for line in links.attrs["report"])
    own.save(files / "d.json")
    assert mirror_bert.link(loaded, NAMES, texts, calibration=files / "d.json").equals(
        mirror_bert.link(loaded, NAMES, texts, calibration=own)
    )


def test_python_collapses_white_space_as_the_command_does(encoder):
    loaded = mirror_bert.load(encoder, device="cpu")
    spaced = [(one, f" {name.replace(' ', '  ')}") for one, name in NAMES]
    links = mirror_bert.link(loaded, spaced, ["the  red cat ", " "])
    assert links.equals(mirror_bert.link(loaded, NAMES, ["the red cat"]))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (*NEW, "--target-precision", 0.9),
            "--target-precision: no correct ids .*-column, or --cal",
        ),
        ((*NEW, "--write-calibration", "d.json"), "--write-calibration: no correct ids to compare"),
        ((*KNOWN, "--target-precision", 1.5), "--target-precision 1.5: give a share from 0 to 1"),
        (
            (*KNOWN, "--target-precision", 0.9, "--threshold", 0.5),
            "--target-precision 0.9: sets the threshold, but a threshold is given too",
        ),
        (
            (*KNOWN, "--write-calibration", "d.json", "--calibration", "names.csv"),
            "--write-calibration: --calibration is given too",
        ),
        ((*NEW, "--calibration", "none.json"), "--calibration none.json: no such file"),
        ((*NEW, "--calibration", "names.csv"), r"names.csv:1: "),
        ((*KNOWN, "--write-calibration", "known.csv"), "--write-calibration known.csv: is read fr"),
        ((*KNOWN, "--write-calibration", "d.json", "--unbuffered"), "--unbuffered: confidences"),
        ((*NEW, "--documents", "."), "--documents: no column with the names of its files; give"),
        (
            (*NEW, "--document-column", "mention"),
            "--document-column mention: names a column of another option",
        ),
    ],
)
def test_mistakes_are_one_line(words, message, run, files):
    with pytest.raises(UserError, match=message) as error:
        run(*words)
    assert "\n" not in str(error.value) and not (files / "links.tsv").exists()


def test_a_calibration_of_another_encoder_or_other_names_is_one_line(run, files, tiny_bert):
    run(*KNOWN, "--write-calibration", "c.json")
    other = ("--encoder", tiny_bert, "--pooling", "mean", "--max-length", 16)
    for words, what in (
        (other, "weights_sha256"),
        (("--pooling", "cls"), "pooling mean, but now it is cls"),
        (("--similarity", "dot"), "similarity cosine, but now it is dot"),
        (("--where", "id=C1", "id=C2"), "names_sha256"),
    ):
        with pytest.raises(UserError, match=f"--calibration c.json: fitted with {what}"):
            run(*NEW, "--calibration", "c.json", *words)


# ---- documents -----------------------------------------------------------------------------------

TEXT = "The red cat (TRC) sees a small dog (SD)."
ROWS = [
    ("TRC", "d1", "the red cat"),
    ("a SD", "d1", "a small dog"),
    ("TRC", "d2", ""),
    ("SD", "", ""),
]


@pytest.fixture
def documents(files):
    write(files / "docs" / "d1.txt", f"{TEXT}\n")
    write(files / "docs" / "d2", "Nothing of note.\n")
    texts = {"d1": TEXT, "d2": "Nothing of note.", "": ""}
    frame = pandas.DataFrame(ROWS, columns=["mention", "document", "expanded"])
    frame = frame.assign(text=frame["document"].map(texts))
    frame.to_csv(files / "texts.csv", index=False)
    pandas.DataFrame({"mention": ["the red cat", "a small dog", "TRC", "SD"]}).to_csv(
        files / "long.csv", index=False
    )
    return files


WAYS = {
    "in a column": ("--document-column", "text"),
    "in a folder": ("--document-column", "document", "--documents", "docs"),
}


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_abbreviations_of_a_document_are_written_out(words, run, documents, capsys, encoder):
    table = ("--mentions", "texts.csv", "--mention-column", "mention")
    links = run(*table, *words, "--k", 1)
    assert "2 with abbreviations written out, such as 'TRC' as 'The red cat'" in (
        capsys.readouterr().err
    )
    assert links["mention"].tolist() == [row[0] for row in ROWS]
    assert links["expanded"].fillna("").str.lower().tolist() == [row[2] for row in ROWS]
    assert links["expanded"].fillna("")[0] == "The red cat"
    lower = run(*table, *words, "--k", 1, "--lower-case")
    long = run("--mentions", "long.csv", "--mention-column", "mention", "--k", 1, "--lower-case")
    assert lower["id"].tolist() == long["id"].tolist()
    assert lower["score"].tolist() == pytest.approx(long["score"].tolist(), abs=2e-6)
    rows = run(*table, *words, "--k", 1, form="jsonl")
    assert [row["expanded"].lower() for row in rows] == [row[2] for row in ROWS]
    frame = pandas.read_csv(documents / "texts.csv", keep_default_na=False)
    of_python = mirror_bert.link(
        mirror_bert.load(encoder, device="cpu"),
        *(NAMES, frame["mention"].tolist()),
        **{"documents": frame["text"].tolist(), "k": 1},
    )
    assert of_python["expanded"].tolist() == links["expanded"].fillna("").tolist()
    assert of_python["id"].tolist() == links["id"].tolist()


def test_a_document_that_is_not_there_is_named_with_its_line(run, documents):
    table = ("--mentions", "texts.csv", "--mention-column", "mention", "--document-column")
    (documents / "docs" / "d2").unlink()
    with pytest.raises(UserError, match=r"texts.csv:4: no file d2 or d2.txt in docs; check --doc"):
        run(*table, "document", "--documents", "docs")
    with pytest.raises(UserError, match="--documents dcs: no such folder"):
        run(*table, "document", "--documents", "dcs")


# ---- UMLS ----------------------------------------------------------------------------------------


def test_names_of_a_semantic_type_are_an_index_of_their_own(run, files):
    rows = [f"{cui}|ENG{'|' * 10}MSH|PT||{text}||N||" for cui, text in NAMES[:2]]
    write(files / "umls/MRCONSO.RRF", "".join(f"{row}\n" for row in rows))
    types = "C0|T015|A1|Mammal|A|1|\nC1|T047|B2|Disease or Syndrome|A|1|\n"
    write(files / "umls/MRSTY.RRF", types)
    umls = ("--names", "umls/MRCONSO.RRF", "--index", "index", *NEW)
    assert {*run(*umls, "--semantic-types", "Mammal", names=False)["id"]} == {"C0"}
    with pytest.raises(UserError, match=r"made with --semantic-types \['Mammal'\], but now it"):
        run(*umls, "--semantic-types", "T047", names=False)
    write(files / "umls/MRSTY.RRF", f"{types}C1|T015|A1|Mammal|A|1|\n")
    with pytest.raises(UserError, match="an index made from other files of names"):
        run(*umls, "--semantic-types", "Mammal", names=False)


def test_python_reads_the_names_that_the_command_reads(files):
    columns = {"name_column": "name", "id_column": "id"}
    path = files / "names.csv"
    assert mirror_bert.read_names(path, **columns) == NAMES
    assert mirror_bert.read_names([str(path)], where={"id": ["C2", "C1"]}, **columns) == NAMES[1:3]
    message = r"--sources: .*names.csv is read as table, not as mrconso"
    with pytest.raises(UserError, match=message):
        mirror_bert.read_names(path, sources=["MSH"], **columns)
