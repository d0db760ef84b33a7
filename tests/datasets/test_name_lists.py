"""Names with their ids: of which format a file is, what is read of it, and what is wrong."""

import pytest
from written_files import write

from workflow_scripts.datasets import name_lists
from workflow_scripts.datasets.name_lists import (
    FORMATS,
    Choices,
    check_choices,
    files_read,
    read_names,
)
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
ASPIRIN = ["aspirin", "acetylsalicylic acid", "ASA"]
CTD = "aspirin\tMESH:D1\t\t\t\t\t\tacetylsalicylic acid|ASA\n"


def mrconso(cui, language="ENG", flag="N", source="MSH", name="heart", kind="PT"):
    fields = [""] * 18
    fields[0], fields[1], fields[11], fields[12], fields[14] = cui, language, source, kind, name
    fields[16] = flag
    return "|".join(fields) + "|\n"


HEADER = ":1: looks like a header, not a name; remove the line, or"
WHICH = "; choose one with --names-format"
ONE_UNO = ["D1 one", "D1 uno", "D2|D3 two"]
OF_ALL = mrconso("C1") + mrconso("C2", "SPA") + mrconso("C3", flag="O") + mrconso("C4", source="X")
SOURCES = mrconso("C1") + mrconso("C2", source="SNOMEDCT_US")
KINDS = mrconso("C1") + mrconso("C2", kind="SY") + mrconso("C3", "SPA", kind="SY")

TABLE = 'id,name\nD1,"one, more"\nD2,two\n'

# file, its text, choices, and ids with their names or what the error says
CASES = [
    ("a.obo", OBO, {}, ["HP:0000001 All", 'HP:0000001 every "thing"', "HP:0000003 Tall"]),
    ("a.txt", "D1||one\nD1||uno\nD2|D3||two\n", {"form": "id-name"}, ONE_UNO),
    ("a.txt", "D1||one\nD1||uno\nD2||a||b\n", {}, ["D1 one", "D1 uno", "D2 a||b"]),
    ("a.txt", "D1|D9||one|uno\n", {"form": "medic"}, ["D1|D9 one", "D1|D9 uno"]),
    ("a.tsv", "D1\tone  more\tx\n", {}, ["D1 one more"]),
    ("a.txt", "One\n\n  two\n", {"lower_case": True}, ["One one", "two two"]),
    ("a.ctd", CTD, {"form": "ctd-chemicals"}, [f"MESH:D1 {name}" for name in ASPIRIN]),
    ("MRCONSO.RRF", mrconso("C1"), {}, ["C1 heart"]),
    ("MRCONSO.RRF", OF_ALL, {"sources": ["MSH"]}, ["C1 heart"]),
    ("MRCONSO.RRF", SOURCES, {"sources": ["MSH"]}, ["C1 heart"]),
    ("MRCONSO.RRF", KINDS, {"where": ["TTY=SY"]}, ["C2 heart"]),
    ("MRCONSO.RRF", KINDS, {"where": ["TTY=SY", "LAT=SPA"]}, ["C3 heart"]),
    ("MRCONSO.RRF", KINDS, {"where": ["LAT=SPA", "LAT=ENG"]}, [f"C{n} heart" for n in (1, 2, 3)]),
    ("MRCONSO.RRF", OF_ALL, {"where": ["SAB=X", "SUPPRESS=N"]}, ["C4 heart"]),
    ("MRCONSO.RRF", OF_ALL, {"where": ["SUPPRESS=O"]}, ["C3 heart"]),
    ("MRCONSO.RRF", SOURCES, {"where": ["SAB=SNOMEDCT"]}, "no row of source SNOMEDCT; did you me"),
    (
        "MRCONSO.RRF",
        KINDS,
        {"where": ["TY=SY"]},
        "--where TY: not a column of MRCONSO; did you mean",
    ),
    # words of headers are names where a row has others
    ("a.txt", "D1\tname\n", {}, ["D1 name"]),
    ("a.txt", "id\tasthma\n", {}, ["id asthma"]),
    ("a.txt", "D1\tasthma\nid\tname\n", {}, ["D1 asthma", "id name"]),
    ("a.txt", "name\nterm\n", {}, ["name name", "term term"]),
    # the format is that of all lines
    ("a.txt", "D1\ta||b\nD2\tc\n", {}, ["D1 a||b", "D2 c"]),
    ("a.txt", "D1||a\tb\nD2||c\n", {}, ["D1 a b", "D2 c"]),
    ("a.txt", 'D1\t"a" or "b\t5"\n', {}, ['D1 "a" or "b']),
    ("a.csv", TABLE, {"name_column": "name", "id_column": "id"}, ["D1 one, more", "D2 two"]),
    ("a.tsv", "id\tname\nD1\tone\n", {"name_column": "name", "id_column": "id"}, ["D1 one"]),
    ("a.csv", TABLE, {"name_column": "name"}, ["one, more one, more", "two two"]),
    ("a.csv", TABLE, {"name_column": "name", "where": ["id=D2"]}, ["two two"]),
    (
        *("a.csv", TABLE, {"name_column": "name", "where": ["id=D2", "id=D1"]}),
        ["one, more one, more", "two two"],
    ),
    (
        "a.csv",
        TABLE,
        {},
        "a.csv: is a table (CSV) with the columns id, name; name its",
    ),
    ("a.txt", "one\n", {"form": "table"}, "--name-column: missing, although "),
    ("a.csv", TABLE, {"name_column": "nam"}, "a.csv:1: no column 'nam'; did you mean 'name'"),
    # no concept, but of lines a name
    ("a.tsv", "-1\tnothing\nCUI-less\tnone\nD1\tasthma\n", {}, ["D1 asthma"]),
    ("a.txt", "-1\nD1\n", {}, ["-1 -1", "D1 D1"]),
    ("a.tsv", "1\tone\n2\n", {}, "a.tsv:2: expected a row of id<TAB>name"),
    ("a.tsv", "\tone\n", {}, "a.tsv:1: no id"),
    ("a.txt", "D1|D2||one\n", {}, ":1: either id|alternative id||name|name (medic) or id||name"),
    ("a.txt", "", {}, "a.txt: no names; give a file that has some"),
    ("a.obo", "name: one\n", {}, "a.obo: no line '[Term]'"),
    ("a.txt", b"D1||\xff\n", {"form": "id-name"}, "a.txt:1: not UTF-8"),
    ("MRCONSO.RRF", "C1|ENG|\n", {}, "RRF:1: expected the 18 columns"),
    (
        "MRCONSO.RRF",
        SOURCES,
        {"sources": ["MSH", "SNOMEDCT"]},
        "no row of source SNOMEDCT; did you me",
    ),
    ("a.txt", "id\tname\nD1\tasthma\n", {}, HEADER),
    ("a.txt", "#CUI\tPreferred Name\tsource\nD1\tasthma\tx\n", {}, HEADER),
    ("a.txt", "concept_id||name\nD1||asthma\n", {}, HEADER),
    ("a.txt", "MESH ID||term\nD1||asthma\n", {"form": "medic"}, HEADER),
    ("a.txt", "id\tname\tsynonyms\nD1\tasthma\t\n", {"form": "id-tab-name"}, HEADER),
    ("a.txt", "id\tname\t\nD1\tasthma\t\n", {"form": "id-tab-name"}, HEADER),
    ("a.txt", '"id"\t"name"\nD1\tasthma\n', {}, HEADER),
    ("a.txt", 'D1\t"a\tb"\n', {}, ":1: a quoted field contains a tab, which is read as two fields"),
    ("a.txt", "D1\ta||b\n\nD2\tc\n", {}, "a.txt:2: expected a row"),
    ("a.txt", "D1\ta||b\n", {}, f"a.txt:1: holds a tab and `||`{WHICH}"),
    ("a.txt", "D1\ta||b\nD2\tc||d\n", {}, f"a.txt:1: holds a tab and `||`{WHICH}"),
    ("a.txt", "a\nD1\tb\n", {}, f"a.txt:2: holds a tab, but lines above do not{WHICH}"),
    ("a.txt", "a\nD1||b\n", {}, f"a.txt:2: holds `||`, but lines above do not{WHICH}"),
]


@pytest.mark.parametrize(("file", "text", "choices", "expected"), CASES)
def test_names_of_a_file_or_one_error(tmp_path, file, text, choices, expected):
    path = write(tmp_path / file, text)
    if isinstance(expected, list):
        found = read_names([path], Choices(**choices))
        rows = zip(found.ids, found.names, strict=True)
        assert [f"{identity} {name}" for identity, name in rows] == expected
        return
    with pytest.raises(UserError) as error:
        read_names([path], Choices(**choices))
    assert expected in str(error.value) and "\n" not in str(error.value)


def test_what_is_left_out_is_counted_over_files(tmp_path):
    paths = [write(tmp_path / "a.tsv", "1\tone\n1\t one \n2\t  \n-1\tnothing\nCUI-less\tnone\n")]
    paths.append(write(tmp_path / "b.tsv", "1\tone\n2\tone\n"))
    found = read_names(paths, Choices())
    assert (found.ids, found.names) == (["1", "2"], ["one", "one"])
    assert found.dropped == {"repeated": 2, "empty": 1, "without a concept": 2}


def test_every_format_of_the_command_is_read():
    tried = {changes.get("form") for _, _, changes, _ in CASES}
    tried |= {"obo", "tsv", "lines", "mrconso", "table"}
    assert {*FORMATS} - tried <= {"mesh-terms", "id-tab-name"}
    assert {*FORMATS} == {*name_lists._READERS, "mrconso", "table"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("language", "GER"),
        ("sources", ["MSH"]),
        ("suppress", ["N", "O"]),
        ("semantic-types", ["T047"]),
    ],
)
def test_an_option_of_mrconso_for_another_list_is_an_error(tmp_path, key, value):
    (tmp_path / "names.tsv").write_text("C1\tasthma\n")
    with pytest.raises(UserError, match=f"--{key}: .*names.tsv is read as tsv, not as mrconso"):
        check_choices([tmp_path / "names.tsv"], Choices(**{key.replace("-", "_"): value}))


# ---- semantic types ------------------------------------------------------------------------------

TYPES = (
    "C1|T047|B2.2.1.2.1|Disease or Syndrome|AT1|256|\n"
    "C1|T033|A2.2|Finding|AT2|256|\n"
    "C2|T033|A2.2|Finding|AT3|256|\n"
    "C3|T109|A1.4.1.2.1|Organic Chemical|AT4|256|\n"
)


@pytest.mark.parametrize("file", ["MRSTY.RRF", "MRSTY.RRF.gz"])
@pytest.mark.parametrize(
    ("types", "ids"),
    [
        (["T047"], ["C1"]),
        (["disease or syndrome"], ["C1"]),
        (["Finding"], ["C1", "C2"]),
        (["t047", "Organic Chemical"], ["C1", "C3"]),
    ],
)
def test_names_of_semantic_types(tmp_path, file, types, ids):
    names = write(tmp_path / "MRCONSO.RRF", "".join(map(mrconso, ("C1", "C2", "C3", "C4"))))
    write(tmp_path / file, TYPES)
    assert read_names([names], Choices(semantic_types=types)).ids == ids


def test_an_unknown_semantic_type_and_a_missing_file_are_one_line(tmp_path):
    names = write(tmp_path / "MRCONSO.RRF", mrconso("C1"))
    choices = Choices(semantic_types=["Diseases or Syndrome"])
    with pytest.raises(
        UserError, match=r"--semantic-types: no MRSTY.RRF next to .*MRCONSO.RRF; put"
    ):
        check_choices([names], choices)
    write(tmp_path / "MRSTY.RRF", TYPES)
    known = r"--semantic-types Diseases or Syndrome: no such type in .*; did you mean 'Disease or S"
    with pytest.raises(UserError, match=known):
        read_names([names], choices)
    write(tmp_path / "MRSTY.RRF", "C1|T047|\n")
    with pytest.raises(UserError, match=r"MRSTY.RRF:1: expected the 6 columns of MRSTY.RRF"):
        read_names([names], choices)


def test_the_file_of_semantic_types_is_one_that_the_names_are_read_of(tmp_path):
    names = write(tmp_path / "MRCONSO.RRF", mrconso("C1"))
    types = write(tmp_path / "MRSTY.RRF", TYPES)
    assert files_read([names], Choices()) == [names]
    assert files_read([names], Choices(semantic_types=["T047"])) == [names, types]


def test_a_column_of_mrconso_is_chosen_in_one_way(tmp_path):
    names = write(tmp_path / "MRCONSO.RRF", mrconso("C1"))
    with pytest.raises(UserError, match="--where LAT: --language is given too; give one of them"):
        check_choices([names], Choices(language="SPA", where=["LAT=ENG"]))
