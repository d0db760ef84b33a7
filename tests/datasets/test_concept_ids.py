"""Which concept ids are equal, in data sets and in the report of `link`."""

import re

import pytest
from dataset_reading import entry, read_dataset
from written_files import write

from workflow_scripts.datasets.concept_ids import ConceptIds, ids_meet, split_concept_ids
from workflow_scripts.datasets.name_lists import Choices, read_names
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.mention_links import Link, Report
from workflow_scripts.retrieval.mentions import Mention, read_mentions
from workflow_scripts.scoring.ranked_accuracy import hits_at


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        (" D008661", ["D008661"]),
        ("D007674+D006222", ["D007674", "D006222"]),
        ("D1|D1", ["D1"]),
        ("MESH:C537345 ", ["MESH:C537345"]),
        ("Na+", ["Na+"]),
        ("Na", ["Na"]),
        ("+", ["+"]),
        ("Na+|K+", ["Na+", "K+"]),
        ("Na+/K+-ATPase", ["Na+/K+-ATPase"]),
        ("CD4+CD8", ["CD4+CD8"]),
        ("D1+", ["D1+"]),
        ("D1 + D2", ["D1", "D2"]),
        ("MESH:D1+OMIM:PS12", ["MESH:D1", "OMIM:PS12"]),
        ("D1+-1", ["D1"]),
        ("Cui-Less|-1|CUI_LESS", []),
        ("MESH:-1", []),
        ("MESH:D1|D1", ["MESH:D1", "D1"]),
        ("a: b", ["a: b"]),
    ],
)
def test_ids_are_split_where_ids_are_joined(text, ids):
    assert split_concept_ids(text) == ids


EQUAL = [("MESH:D1", "D1"), ("D1", "D1"), ("OMIM:215600", "215600"), ("mesh:D1", "MESH:D1")]
EQUAL += [("SNOMEDCT_US:1", "1"), ("UMLS:C0000001", "C0000001")]
DIFFERENT = [("GO:0000123", "HP:0000123"), ("Na+", "Na"), ("MESH:D1", "D2"), ("D1", "d1")]
PAIRS = [(*pair, True) for pair in EQUAL] + [(*pair, False) for pair in DIFFERENT]


@pytest.mark.parametrize(("one", "other", "equal"), PAIRS)
def test_ids_are_equal_in_a_report_and_in_a_data_set(tmp_path, one, other, equal):
    assert ids_meet([one], [other]) == ids_meet([other], [one]) == equal
    for gold, name in ((one, other), (other, one)):
        report = Report(1, None)
        report.add(Mention("m", gold), [Link(name, "a name", 0.9)], True)
        assert report.hits_at(1) == equal
        write(tmp_path / "d.txt", f"{name}||a name\n")
        write(tmp_path / "m.txt", f"d\tm\t{gold}\tm\n")
        block = entry("entity-linking", "mention-rows", path="m.txt")
        block |= {"dictionary": "d.txt", "dictionary_format": "id-name"}
        found = read_dataset(tmp_path, block)
        assert hits_at(1, [[[0]]], found.name_concepts, found.gold) == [equal]


def test_an_id_without_prefix_is_that_of_any_vocabulary():
    ids = ConceptIds([["GO:7", "D1", "MESH:D1", "8"], ["hp:7", "HP:8"]])
    # only where two vocabularies share a number the prefix says something
    assert ids.plain(["GO:7", "MESH:D1", "D1", "HP:8"]) == ["GO:7", "D1", "8"]
    assert ids.plain(["7"]) == ["GO:7", "HP:7"]
    assert ids_meet(["7"], ["GO:7"]) and ids_meet(["7"], ["HP:7"])


def test_gold_without_a_concept_is_counted_and_not_scored():
    report = Report(1, None)
    for gold in ("D1", "-1", "CUI-less", "cui-LESS", "", "D1|-1"):
        report.add(Mention("m", gold), [Link("D1", "a name", 0.9)], True)
    assert list(report.lines()) == [
        "6 mentions",
        "2 with gold ids: accuracy@1 1.0000",
        "4 without a gold id (empty, -1, CUI-less): not counted",
    ]
    report = Report(1, None)
    report.add(Mention("m"), [Link("D1", "a name", 0.9)], True)
    assert list(report.lines()) == ["1 mentions"]


@pytest.mark.parametrize(
    ("identity", "what"),
    [
        ("D\u200b1", "holds U+200B, which is invisible"),
        ("\ufeffD1", "holds U+FEFF, which is invisible"),
        ("1.23E+05", "looks like a number rewritten by a spreadsheet; restore the id"),
    ],
)
def test_ids_that_programs_damaged_are_named(tmp_path, identity, what):
    write(tmp_path / "names.tsv", f"D0\tflu\n{identity}\tasthma\n")
    with pytest.raises(UserError, match=re.escape(f"names.tsv:2: id {identity!r} {what}")):
        read_names([tmp_path / "names.tsv"], Choices())
    # its own name
    assert read_names([tmp_path / "names.tsv"], Choices("lines")).names
    write(tmp_path / "m.tsv", f"flu\tD0\nasthma\tD0|{identity}\n")
    with pytest.raises(UserError, match=re.escape(f"m.tsv:2: id {identity!r} {what}")):
        list(read_mentions(str(tmp_path / "m.tsv"), "1", "2"))
    block = entry("entity-linking", "mention-rows", path="m", dictionary="names.tsv")
    block |= {"dictionary_format": "id-tab-name"}
    write(tmp_path / "names.tsv", f"D0\tflu\t\n{identity}\tasthma\t\n")
    with pytest.raises(UserError, match=re.escape(f"names.tsv:2: id {identity!r} {what}")):
        write(tmp_path / "m", "1\tasthma\tD0\tasthma\n")
        read_dataset(tmp_path, block)


def test_gold_ids_that_no_name_has_are_counted():
    report = Report(1, None)
    golds = ["D1", "D1;D2", "d1", "MESH:D1", "OMIM:7", "HP:0000123|D9", "HP:123", "-1"]
    for gold in golds:
        report.add(Mention("m", gold), [Link("D3", "a name", 0.9)], True)
    assert report.lines_of_unknown(["D1|D8", "7", "GO:0000123", "HP:0000123", "D3"]) == [
        "3 with gold ids that no name has, such as 'D1;D2': counted as wrong"
    ]
    assert report.lines_of_unknown(golds) == []
