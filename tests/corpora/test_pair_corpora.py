"""Corpora of pairs: translations, and premises with hypotheses."""

import gzip
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.corpora.kinds import bitext, nli
from workflow_scripts.corpora.pair_lines import LABELS, pair_lines
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.corpus_strings import read_corpus

# --- lines of pairs ----------------------------------------------------------------------------


@given(st.lists(st.lists(st.text("ab| \n", max_size=5), min_size=2, max_size=2)))
def test_a_line_is_parted_as_it_was_or_left_out_and_counted(pairs):
    dropped = Counter()
    lines = list(pair_lines(pairs, "kept", dropped))
    assert len(lines) + dropped.total() == len(pairs)
    assert all(len(line.split("||")) == 2 and "\n" not in line for line in lines)
    clean = [pair for pair in pairs if not any(set(part) & {"|", "\n"} for part in pair)]
    expected = ["||".join(pair) for pair in clean if all(part.strip() for part in pair)]
    assert [line for line in lines if line in expected] == expected


# --- translations ------------------------------------------------------------------------------

ROWS = "A cat.\tUne chatte.\n\tVide\nA dog.\tUn chien.\nA || b\tA b\nOne|\tUn\n"
# a row may have further columns
MATRIX = "1.2\tHola\tHello\ten\tes\n1.0\tNo\tNot\n1.04\tSí\tYes\n"


def bitext_block(*pairs, **more):
    return {"kind": "bitext", "pairs": list(pairs), "size": "all", **more}


def test_translations_are_of_two_files_of_columns_or_of_wikimatrix(make, tmp_path):
    (tmp_path / "a.en").write_text("A cat.\nA dog.\n")
    (tmp_path / "a.fr.gz").write_bytes(gzip.compress(b"Une chatte.\nUn chien.\n"))
    (tmp_path / "a.tsv").write_text(ROWS)
    (tmp_path / "m.tsv").write_text(MATRIX)
    two = {"source": "a.en", "target": "a.fr.gz"}
    cats = ["A cat.||Une chatte.", "A dog.||Un chien."]
    assert make(bitext_block(two))[0] == cats
    lines, record = make(bitext_block({"path": "a.tsv"}))
    assert lines == cats
    assert record["dropped"] == {"empty": 1, "separator": 2}
    matrix = {"path": "m.tsv", "margin": 1.04}
    lines, record = make(bitext_block(two, matrix, {"path": "a.tsv", "columns": [2, 1]}))
    # told apart this way round
    turned = ["Une chatte.||A cat.", "Un chien.||A dog.", "Un||One|"]
    assert lines == [*cats, "Hola||Hello", "Sí||Yes", *turned]
    assert len(record["source_sha256"]) == 4
    assert len(make(bitext_block(two, size=1))[0]) == 1


def test_a_pair_goes_if_either_side_is_kept_out(make, tmp_path):
    (tmp_path / "a.tsv").write_text(ROWS + "A hen.\tUne poule.\n")
    (tmp_path / "e.txt").write_text("a cat\nIt has more. UN CHIEN\n")
    kept_out = [{"reader": "lines", "files": ["e.txt"]}]
    lines, record = make(bitext_block({"path": "a.tsv"}, kept_out=kept_out))
    assert lines == ["A hen.||Une poule."]
    assert record["dropped"]["evaluation"] == 2


def test_unequal_files_and_short_rows_are_named(make, tmp_path):
    (tmp_path / "a.en").write_text("A cat.\nA dog.\n")
    (tmp_path / "a.fr").write_text("Une chatte.\n")
    with pytest.raises(UserError, match=r"a\.en: has 2 lines but .*a\.fr has 1"):
        make(bitext_block({"source": "a.en", "target": "a.fr"}))
    with pytest.raises(UserError, match=r"a\.en:1: expected a row of sentence<TAB>translation"):
        make(bitext_block({"path": "a.en"}))
    with pytest.raises(UserError, match=r"a\.en:1: expected a row of margin score"):
        make(bitext_block({"path": "a.en", "margin": 1.0}))
    with pytest.raises(UserError, match=r"b\.en: no such file.*`corpora.corpus.pairs` or "):
        make(bitext_block({"source": "b.en", "target": "a.fr"}))
    assert not (tmp_path / "out").exists()


# --- texts with a class ------------------------------------------------------------------------


def labelled_block(*texts, **more):
    return {"kind": "labelled", "texts": list(texts), "size": "all", **more}


def test_texts_stand_with_their_class_and_pairs_of_texts_are_refused_by_their_file(make, tmp_path):
    (tmp_path / "a.tsv").write_text("text\tother\tlabel\nA good film.\tx\t+\nBad || film\ty\t-\n")
    part = {"path": "a.tsv", "columns": ["text", "label"]}
    lines, record = make(labelled_block(part))
    assert lines == ["A good film.||+"]
    assert record["dropped"] == {"separator": 1}
    # a part of what is divided: each text is in one
    (tmp_path / "b.tsv").write_text("text\tlabel\n" + "".join(f"t{n}\t+\n" for n in range(10)))
    divided = {"path": "b.tsv", "columns": ["text", "label"]}
    shares = {"divided": {"train": 3, "development": 1, "test": 1}}
    parts = [
        make(labelled_block(divided, **shares, part=name))[0]
        for name in ("train", "development", "test")
    ]
    assert [len(part) for part in parts] == [6, 2, 2]
    assert sorted(line for part in parts for line in part) == sorted(f"t{n}||+" for n in range(10))
    pairs = {"path": "a.tsv", "columns": ["text", "other", "label"]}
    with pytest.raises(UserError, match=r"a\.tsv: pairs of texts; an encoder is trained on single"):
        make(labelled_block(pairs))


# --- premises and hypotheses -------------------------------------------------------------------

PAIRS = [("one", "two", "entailment"), ("three", "four", "-"), ("five", "six", "neutral")]
KEYS = ("sentence1", "sentence2", "gold_label")


def nli_block(path, **more):
    return {"kind": "nli", "path": path, "size": "all", **more}


def entries(keys):
    return [dict(zip(keys, pair, strict=True)) for pair in PAIRS]


@pytest.mark.parametrize(
    ("name", "content", "more"),
    [
        ("a.jsonl", "\n".join(map(json.dumps, entries(KEYS))) + "\n", {}),
        (
            "a.json",
            json.dumps(
                {str(n): one for n, one in enumerate(entries(["text_a", "text_b", "label"]))}
            ),
            {},
        ),
        (
            "a.txt",
            "gold_label\tx\tsentence1\tsentence2\n"
            + "".join(f"{label}\t(x)\t{one}\t{two}\n" for one, two, label in PAIRS),
            {},
        ),
        (
            "a.csv",
            "h,p,label\n" + "".join(f'"{two}",{one},{label}\n' for one, two, label in PAIRS),
            {"columns": ["p", "h", "label"]},
        ),
    ],
)
def test_nli_sets_are_read_in_their_forms(make, tmp_path, name, content, more):
    (tmp_path / name).write_text(content)
    lines, record = make(nli_block(name, **more))
    assert lines == ["one||two||entailment", "five||six||neutral"]
    assert record["dropped"] == {"no_agreement": 1}
    read = read_corpus(tmp_path / "out/corpus.txt", pairs=True, labels=True)
    assert (read.partners, read.labels) == (["two", "six"], ["entailment", "neutral"])
    (tmp_path / name).write_text(content.replace("neutral", "maybe"))
    with pytest.raises(UserError, match=rf"{name}:\d: expected a label among .*, found 'maybe'"):
        make(nli_block(name, **more))


def write_groups(folder, languages, groups):
    labels = [LABELS[number % 3] for number in range(groups * 3)]
    (folder / "labels").write_text("".join(f"{label}\n" for label in labels))
    for one in languages:
        lines = (
            f"{one} p{g}\n" + "".join(f"{one} h{g}.{h}\n" for h in range(3)) for g in range(groups)
        )
        (folder / f"s.{one}").write_text("".join(lines))


@given(st.integers(1, 5), st.sampled_from(["ab", "abc"]), st.integers(0, 3))
@settings(deadline=None)
def test_premise_and_hypothesis_of_a_group_are_in_two_languages(groups, languages, seed):
    block = nli_block("s.{language}", labels="labels", languages=list(languages))
    options = nli.Options.model_validate(block)
    with tempfile.TemporaryDirectory() as folder:
        write_groups(Path(folder), languages, groups)
        drawn = [list(options.strings(Path(folder), seed, Counter())) for _ in range(2)]
    assert drawn[0] == drawn[1]
    for number, line in enumerate(drawn[0]):
        premise, hypothesis, label = line.split("||")
        assert premise[0] != hypothesis[0]
        assert (premise[1:], hypothesis[1:]) == (
            f" p{number // 3}",
            f" h{number // 3}.{number % 3}",
        )
        assert label == LABELS[number % 3]
    assert len(drawn[0]) == 3 * groups


def test_languages_may_be_given_and_every_two_are_drawn(make, tmp_path):
    write_groups(tmp_path, "abc", 30)
    block = nli_block("s.{language}", labels="labels")
    lines, _ = make({**block, "premise_language": "a", "hypothesis_language": "b"})
    assert {(line[0], line.split("||")[1][0]) for line in lines} == {("a", "b")}
    lines, _ = make({**block, "premise_language": "a", "hypothesis_language": "a"})
    assert lines[:2] == ["a p0||a h0.0||entailment", "a p0||a h0.1||neutral"]
    block["languages"] = ["a", "b", "c"]
    lines, _ = make(block)
    assert len({(line[0], line.split("||")[1][0]) for line in lines}) == 6
    assert make(block)[0] == lines != make(block, "--seed", "1")[0]


def test_translated_sets_are_read_line_by_line(make, tmp_path):
    for one, label in (("a", "contradictory"), ("b", "contradictory")):
        (tmp_path / f"t.{one}.tsv").write_text(f"premise\thypo\tlabel\n{one} p\t{one} h\t{label}\n")
    block = nli_block("t.{language}.tsv", columns=["premise", "hypo", "label"])
    block |= {"premise_language": "a", "hypothesis_language": "b"}
    assert make(block)[0] == ["a p||b h||contradiction"]
    (tmp_path / "t.b.tsv").write_text("premise\thypo\tlabel\nb p\tb h\tneutral\n")
    with pytest.raises(UserError, match=r"t\.a\.tsv:2: the label is .*, but 'neutral' in .*t\.b\."):
        make(block)
    (tmp_path / "t.a.tsv").write_text("premise\thypo\tlabel\na p\ta h\t-\n")
    with pytest.raises(
        UserError, match=r"t\.a\.tsv:2: the label is '-', but 'neutral' in .*t\.b\."
    ):
        make(block)
    (tmp_path / "t.b.tsv").write_text("premise\thypo\tlabel\n")
    with pytest.raises(UserError, match=r"t\.a\.tsv: has 1 lines but .*t\.b\.tsv has 0"):
        make(block)


def test_groups_that_do_not_fit_their_labels_are_named(make, tmp_path):
    write_groups(tmp_path, "ab", 2)
    block = nli_block("s.{language}", labels="labels", languages=["a", "b"])
    with open(tmp_path / "s.b", "a") as stream:
        stream.write("more\n")
    with pytest.raises(UserError, match=r"s\.b: has 9 lines and .*labels 6; each premise needs 3"):
        make(block)
    write_groups(tmp_path, "ab", 2)
    (tmp_path / "labels").write_text("neutral\n" * 5 + "perhaps\n")
    with pytest.raises(UserError, match=r"labels:6: expected a label among .*, found 'perhaps'"):
        make(block)


# --- real files --------------------------------------------------------------------------------


@pytest.mark.shared_data
def test_real_bitext_and_nli_are_read_whole(shared_data):
    more = shared_data.parent / "data-cmlm"
    files = [{"path": "bitext-tatoeba/afr.tsv.gz"}]
    files += [{"path": "bitext-bible/est.tsv.gz", "columns": [2, 3]}]
    files += [{"source": "ntrex-128/newstest2019-src.eng.txt.gz"}]
    files[-1]["target"] = "ntrex-128/newstest2019-ref.afr.txt.gz"
    dropped = Counter()
    options = bitext.Options.model_validate(bitext_block(*files))
    lines = list(options.strings(more, 0, dropped))
    assert len(lines) + dropped.total() == 945 + 3000 + 1997
    languages = ["ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur"]
    block = nli_block("xnli-15way/sentences.{language}.txt.gz", labels="xnli-15way/labels.txt")
    options = nli.Options.model_validate({**block, "languages": [*languages, "vi", "zh"]})
    dropped = Counter()
    lines = list(options.strings(more, 0, dropped))
    assert len(lines) + dropped.total() == 5010
    assert Counter(line.split("||")[2] for line in lines).keys() == {*LABELS}
    for name in ("mnli-train-sample.json.gz", "snli-train-sample.json"):
        options = nli.Options.model_validate(nli_block(f"nli-sample/{name}"))
        assert len(list(options.strings(shared_data, 0, Counter()))) > 8000
