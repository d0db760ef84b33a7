"""Names with their ids from the formats of dictionaries and ontologies."""

import pytest

from workflow_scripts.datasets import name_lists
from workflow_scripts.datasets.name_lists import FORMATS, Choices, read_names, refuse_unused_choices
from workflow_scripts.errors import UserError

OBO = """format-version: 1.2
name: not a term

[Term]
id: HP:0000001
name: All
synonym: "every \\"thing\\"" EXACT []

[Term]
id: HP:0000002 ! comment
name: Abnormal   height
is_obsolete: true

[Typedef]
id: part_of
name: part of

[Term]
id: HP:0000003
name: Tall
synonym: "Tall" RELATED []
"""
CTD = "aspirin\tMESH:D1\t\t\t\t\t\tacetylsalicylic acid|ASA\n"


def mrconso(cui, language="ENG", flag="N", source="MSH", name="heart"):
    fields = [""] * 18
    fields[0], fields[1], fields[11], fields[14], fields[16] = cui, language, source, name, flag
    return "|".join(fields) + "|\n"


CASES = [
    ("a.obo", OBO, {}, ["HP:0000001 All", 'HP:0000001 every "thing"', "HP:0000003 Tall"]),
    ("names.txt", "D1||one\nD1||uno\nD2|D3||two\n", {"form": "id-name"}, None),
    ("names.txt", "D1||one\nD1||uno\nD2||a||b\n", {}, ["D1 one", "D1 uno", "D2 a||b"]),
    ("medic", "D1|D9||one|uno\n", {"form": "medic"}, ["D1|D9 one", "D1|D9 uno"]),
    ("names.tsv", "D1\tone  more\tx\n", {}, ["D1 one more"]),
    ("names.txt", "One\n\n  two\n", {"lower_case": True}, ["One one", "two two"]),
    ("ctd", CTD, {"form": "ctd-chemicals"}, None),
    ("MRCONSO.RRF", mrconso("C1"), {}, ["C1 heart"]),
    (
        "MRCONSO.RRF",
        mrconso("C1") + mrconso("C2", "SPA") + mrconso("C3", flag="O") + mrconso("C4", source="X"),
        {"sources": ["MSH"]},
        ["C1 heart"],
    ),
]


@pytest.mark.parametrize(("file", "text", "changes", "expected"), CASES)
def test_ids_and_names(file, text, changes, expected, tmp_path):
    path = tmp_path / file
    path.write_text(text)
    found = read_names([path], Choices(**changes))
    rows = [f"{one} {name}" for one, name in zip(found.ids, found.names, strict=True)]
    if file == "ctd":
        expected = ["MESH:D1 aspirin", "MESH:D1 acetylsalicylic acid", "MESH:D1 ASA"]
    if expected is None:
        expected = ["D1 one", "D1 uno", "D2|D3 two"]
    assert rows == expected


def test_repeats_and_empty_names_are_counted_over_files(tmp_path):
    paths = [tmp_path / "a.tsv", tmp_path / "b.tsv"]
    paths[0].write_text("1\tone\n1\t one \n2\t  \n")
    paths[1].write_text("1\tone\n2\tone\n")
    found = read_names(paths, Choices())
    assert (found.ids, found.names) == (["1", "2"], ["one", "one"])
    assert found.dropped == {"repeated": 2, "empty": 1}


WRONG = [
    ("a.tsv", "1\tone\n2\n", {}, "a.tsv:2: expected a row of id<TAB>name"),
    ("a.tsv", "\tone\n", {}, "a.tsv:1: no id"),
    (
        "a.txt",
        "D1|D2||one\n",
        {},
        "a.txt:1: either id.alternative id.*; say by --names-format",
    ),
    ("a.txt", "", {}, "a.txt: no names; give a file that has some"),
    ("a.obo", "name: one\n", {}, "a.obo: no line '.Term.'"),
    ("a.txt", b"D1||\xff\n", {"form": "id-name"}, "a.txt:1: not UTF-8"),
    ("MRCONSO.RRF", "C1|ENG|\n", {}, "RRF:1: expected the 18 columns"),
]


@pytest.mark.parametrize(("file", "text", "changes", "message"), WRONG)
def test_what_is_wrong_is_said_in_one_line(file, text, changes, message, tmp_path):
    path = tmp_path / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=message) as error:
        read_names([path], Choices(**changes))
    assert "\n" not in str(error.value)


def test_every_format_of_the_command_is_read():
    tried = {changes.get("form") for _, _, changes, _ in CASES} | {"obo", "tsv", "lines", "mrconso"}
    assert {*FORMATS} - tried <= {"mesh-terms", "id-tab-name"}
    assert {*FORMATS} == {*name_lists._READERS, "mrconso"}


def test_a_source_that_mrconso_lacks_is_an_error(tmp_path):
    path = tmp_path / "MRCONSO.RRF"
    path.write_text(mrconso("C1") + mrconso("C2", source="SNOMEDCT_US"))
    with pytest.raises(UserError, match="no row of source SNOMEDCT; did you mean 'SNOMEDCT_US'"):
        read_names([path], Choices(sources=["MSH", "SNOMEDCT"]))
    assert read_names([path], Choices(sources=["MSH"])).ids == ["C1"]


@pytest.mark.parametrize(
    ("key", "value"), [("language", "GER"), ("sources", ["MSH"]), ("suppress", ["N", "O"])]
)
def test_an_option_of_mrconso_for_another_list_is_an_error(tmp_path, key, value):
    (tmp_path / "names.tsv").write_text("C1\tasthma\n")
    with pytest.raises(UserError, match=f"--{key}: .*names.tsv is read as tsv, not as mrconso"):
        refuse_unused_choices([tmp_path / "names.tsv"], Choices(**{key: value}))
