"""Readers of dictionaries and mentions, on small files of each format."""

import hypothesis
import pytest
from dataset_reading import cases, check, entry, given, wrong
from hypothesis import strategies as st
from written_files import write

from workflow_scripts.datasets.concept_ids import ConceptIds, split_concept_ids
from workflow_scripts.datasets.dictionaries import read_dictionary
from workflow_scripts.datasets.entity_linking import accepted_concepts
from workflow_scripts.datasets.formats import biosyn
from workflow_scripts.errors import UserError


def linking(form, **options):
    return entry("entity-linking", form, **options)


# --- concept ids -------------------------------------------------------------------------------


IDS = st.lists(st.from_regex(r"\A[CD][0-9]{1,6}\Z"), min_size=1, max_size=5, unique=True)


@hypothesis.given(IDS, st.data())
def test_joined_concept_ids_come_back_whatever_joins_them(ids, data):
    text = ids[0]
    for one in ids[1:]:
        text += data.draw(st.sampled_from(["|", "+", " | ", "|MESH:", "+ "])) + one
    assert ConceptIds([]).plain(split_concept_ids(text)) == ids


@hypothesis.given(st.lists(st.text(alphabet="ab c", min_size=1).filter(str.strip), min_size=1))
def test_mentions_of_the_processed_layout_come_back_in_order(parts):
    for text in ("|".join(parts), "+".join(parts)):
        assert biosyn.Entry.as_mention(None, "f", 1, text, "").parts == parts


@hypothesis.given(st.lists(st.text(), max_size=4), IDS, st.sampled_from(["any", "aligned"]))
def test_every_part_of_a_mention_has_accepted_concepts_of_the_mention(parts, ids, composite_gold):
    texts, gold = accepted_concepts("whole", parts, ids, composite_gold)
    assert len(texts) == len(gold) >= 1 and all(gold)
    assert {identity for accepted in gold for identity in accepted} == set(ids)


@pytest.mark.parametrize(
    ("parts", "ids", "composite_gold", "expected"),
    [
        (["a", "b"], ["1", "2"], "any", (["a", "b"], [["1", "2"], ["1", "2"]])),
        ([], ["1", "2"], "any", (["x"], [["1", "2"]])),
        (["a", "b"], ["1", "2"], "aligned", (["a", "b"], [["1"], ["2"]])),
        ([], ["1", "2"], "aligned", (["x", "x"], [["1"], ["2"]])),
        (["a", "b"], ["1"], "aligned", (["x"], [["1"]])),
    ],
)
def test_composite_gold(parts, ids, composite_gold, expected):
    assert accepted_concepts("x", parts, ids, composite_gold) == expected


# --- dictionaries ------------------------------------------------------------------------------

MEDIC = ["C5|613||Tooth Agenesis|STHAG6\nD1||Colds\n"]
TABS = ["OMIM:1\tcold\t\nD2\tflu\tOMIM:3|OMIM:4"]
# shared names stay, repeated entries do not
REPEATED = ["1||Cold\n2||cold\n1||cold\n1|3||cold  sore\n", "1||COLD\n9||a||b\n"]


@pytest.mark.parametrize(
    ("form", "texts", "names", "concepts"),
    [
        (
            "medic",
            MEDIC,
            ["tooth agenesis", "sthag6", "colds"],
            [["C5", "613"], ["C5", "613"], ["D1"]],
        ),
        ("mesh-terms", ["mesh_id\tmesh_name\nD1\tCalcimycin\n"], ["calcimycin"], [["D1"]]),
        (
            "id-name",
            REPEATED,
            ["cold", "cold", "cold sore", "a||b"],
            [["1"], ["2"], ["1", "3"], ["9"]],
        ),
        ("id-name", ["1||a\n\nCUI-less||b\n2||c\n"], ["a", "c"], [["1"], ["2"]]),
        ("id-tab-name", TABS, ["cold", "flu"], [["1"], ["D2", "3", "4"]]),
    ],
)
@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
def test_dictionaries(tmp_path, form, texts, names, concepts, ending):
    files = {f"{number}.{ending}": text for number, text in enumerate(texts)}
    block = linking("mention-rows", path="m", dictionary=[*files], dictionary_format=form)
    expected = {"names": names, "name_concepts": concepts}
    check(tmp_path, block, {**files, "m": "1\tx\tD1\tx\n"}, expected)


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("id-tab-name", "1\ta\t\n2\tb\n", ":2: expected a row of id<TAB>name"),
        ("id-tab-name", "1\ta\t\n\tb\t\n", ":2: no concept id"),
        ("medic", "D1||a\nD2|b\n", ":2: expected id|alternative id||name|name"),
        ("medic", "D1||a\n||b\n", ":2: no concept id"),
        ("medic", "D1||a\nD2||\n", ":2: no name"),
        ("id-name", "1||a\n2|b\n", ":2: expected id||name"),
        ("id-name", "1||a\n2|| \n", ":2: no name"),
        ("id-name", "", ": the dictionary is empty"),
        ("mesh-terms", "id\tname\n", ":1: the header has no column 'mesh_id'"),
        ("mesh-terms", "mesh_id\tmesh_name\nD1\n", ":2: expected a row with mesh_id"),
        ("ctd-chemicals", "# a comment\nx\tMESH:D1\n", ":2: expected the 8 columns of CTD's"),
    ],
)
def test_dictionaries_name_file_and_line_of_a_malformed_row(tmp_path, form, text, message):
    path = write(tmp_path / "d.txt", text)
    with pytest.raises(UserError) as caught:
        read_dictionary([path], form)
    assert f"d.txt{message}" in str(caught.value)


# --- formats -----------------------------------------------------------------------------------

PUBTATOR = linking("pubtator", path="c.txt", dictionary="d.txt", dictionary_format="id-name")
DISEASES = {**PUBTATOR, "mention_type": "Disease"}
TRAINED = {**DISEASES, "training_mentions": ["t.txt"]}
DOCUMENT = (
    "\n"
    "123|t|On vision\tloss.\n"
    "123|a|No abstract.\n"
    "123\t0\t6\tVision Loss\tDisease\tD1\n"
    "123\t0\t6\tNa+\tChemical\tD9\n"
    "123\t7\t9\tvision and hearing loss\tDisease\tD1|D2\tVision loss|hearing loss\n"
    "123\t7\t9\tHC\tDisease\tD1|D2\n"
    "123\t7\t9\tcold\tDisease\t-1\n"
    "123\tCID\tD9\tD1\n"
    "\n"
    "124|t|Again.\n"
    "124\t0\t6\tvision loss\tDisease\tMESH:D1\n"
)
VISION, PARTS = ["vision loss"], ["vision loss", "hearing loss"]
PUBTATOR_FILES = {"c.txt": DOCUMENT, "d.txt": "D1||Vision loss\nD2||Hearing loss\n"}
TWICE = {**PUBTATOR_FILES, "c.txt": "1|t|A\n1\t0\t1\tcold\tDisease\tD1\n\n" * 2}
TRAINING = "9|t|Ill.\n9\t0\t3\tBlind\tDisease\tD1|D2\ta|b\n9\t0\t3\tVision  loss\tDisease\tD1\n"
TRAINING += "9\t0\t3\tcold\tDisease\t-1\n9\t0\t3\tNa\tChemical\tD9\n"

MERGED = {**TRAINED, "shared_names": "merged"}
SHARED = {**PUBTATOR_FILES, "t.txt": "9\t0\t3\tFlu\tDisease\t4\n"}
SHARED["d.txt"] = "1||Cold\n2||cold\n3||flu\n1|2||COLD\n"
OF_TWO = {"c.txt": "1\t0\t1\ttall\tDisease\tHP:7\n", "d.txt": "HP:7||Tall\n"}
OF_TWO["t.txt"] = "9\t0\t3\tGrowth\tDisease\tGO:7\n"

BIOSYN = linking("biosyn", path="processed_test", dictionary=["d.txt", "mentions.txt"])
BIOSYN_FILES = {
    "processed_test/1.concept": "1||0|3||T||breast cancer|ovarian cancer||D1|D2\n",
    "processed_test/2.concept": "2||0|3||Modifier||a cold||D3\n2||4|5||X||b||-1\n",
    "d.txt": "D1||breast cancer\nD3|4||cold\n",
    "mentions.txt": "D3||a cold\n",
}
BIOSYN_EMPTY = {"processed_test/1.concept": "", "processed_test/2.concept": ""}

ASK = linking("askapatient", dictionary="askapatient/dictionary.txt", obtain="ask the authors")
PREPROCESSED = {**ASK, "fold": 2, "form": "preprocessed"}
AGONY = {"askapatient/dictionary.txt": "1||Agony\n"}
COMETA = linking("cometa", dictionary="cometa/dictionary.txt")
COMETA_TEST = "cometa/splits/stratified_general/test.csv"
COMETA_HEADER = "\tID\tTerm\tGeneral SNOMED ID\tGeneral SNOMED Label\tSpecific SNOMED ID\n"
COMETA_FILES = {"cometa/dictionary.txt": "1||Pain\n2||Severe pain\n"}
COMETA_FILES[COMETA_TEST] = COMETA_HEADER + "0\t17\tHurts\t1\tPain\t2\n"
COMETA_EMPTY = COMETA_HEADER + "0\t17\tHurts\t\tPain\t2\n"
ROWS = linking("mention-rows", path="m.txt", dictionary="d.txt")
ROW_FILES = {"d.txt": "D1\twilson disease\t\n"}
ROW_FILES["m.txt"] = "7\tWD\tD1|OMIM:2\twilson disease\n7\tx\t-1\tx"


def fold(number, text, split="test", ending="txt"):
    return {**AGONY, f"askapatient/AskAPatient.fold-{number}.{split}.{ending}": text}


TEN_FOLDS = {key: text for n in range(10) for key, text in fold(n, f"1\tAgony\tach {n}\n").items()}
FOLD_3 = fold(3, "1\tAgony\tSharp  pain\n" * 2, "validation")
QUERIES = fold(2, "1||aches\n1||b||c\n", ending="preprocessed_query.txt")
NO_GOLD = "data set 'mine': no mention with a concept in"

test_linking_sets = cases(
    given("pubtator with composites", DISEASES, PUBTATOR_FILES)(
        names=PARTS,
        mentions=[VISION, PARTS, ["hc"], VISION],
        gold=[[["D1"]], [["D1", "D2"], ["D1", "D2"]], [["D1", "D2"]], [["D1"]]],
        dropped={"no_concept": 1},
    ),
    given(
        "all types, plus signs and case kept",
        {**PUBTATOR, "lower_case": False, "keep_duplicates": False},
        {**PUBTATOR_FILES, "c.txt": DOCUMENT[: DOCUMENT.index("123\t7")]},
    )(mentions=[["Vision Loss"], ["Na+"]], names=["Vision loss", "Hearing loss"]),
    given("composites aligned", {**DISEASES, "composite_gold": "aligned"}, PUBTATOR_FILES)(
        mentions=[VISION, PARTS, ["hc", "hc"], VISION],
        gold=[[["D1"]], [["D1"], ["D2"]], [["D1"], ["D2"]], [["D1"]]],
    ),
    given("duplicates dropped", {**DISEASES, "keep_duplicates": False}, PUBTATOR_FILES)(
        mentions=[VISION, PARTS, ["hc"]], dropped={"no_concept": 1, "repeated_mention": 1}
    ),
    given("training mentions", TRAINED, {**PUBTATOR_FILES, "t.txt": TRAINING})(
        names=[*PARTS, "blind"],
        name_concepts=[["D1"], ["D2"], ["D1", "D2"]],
        mentions=[VISION, PARTS, ["hc"], VISION],
    ),
    (
        "bad",
        TRAINED,
        {**PUBTATOR_FILES, "t.txt": TRAINING + "nothing\n"},
        "t.txt:6: expected a title",
    ),
    given("a number of two vocabularies", TRAINED, OF_TWO)(
        name_concepts=[["HP:7"], ["GO:7"]], gold=[[["HP:7"]]]
    ),
    given("shared names stand for all their concepts", MERGED, SHARED)(
        names=["cold", "flu"], name_concepts=[["1", "2"], ["3", "4"]]
    ),
    ("a repeated document", PUBTATOR, TWICE, {"mentions": [["cold"], ["cold"]]}),
    ("another type", {**PUBTATOR, "mention_type": "Gene"}, PUBTATOR_FILES, NO_GOLD),
    given("biosyn with two dictionaries", BIOSYN, BIOSYN_FILES)(
        names=["breast cancer", "cold", "a cold"],
        name_concepts=[["D1"], ["D3", "4"], ["D3"]],
        mentions=[["breast cancer", "ovarian cancer"], ["a cold"]],
        gold=[[["D1", "D2"], ["D1", "D2"]], [["D3"]]],
        dropped={"no_concept": 1},
    ),
    ("biosyn: missing folder", BIOSYN, {}, "processed_test: no such file"),
    given("fold and split", {**ASK, "fold": 3, "split": "dev"}, FOLD_3)(
        mentions=[["sharp pain"]] * 2, gold=[[["1"]]] * 2, names=["agony"]
    ),
    given("encoding", ASK, fold(0, "1\tAgony\tpain\u00b4s bad\n".encode("iso-8859-1")))(
        mentions=[["pain\u00b4s bad"]]
    ),
    ("all", {**ASK, "fold": "all"}, TEN_FOLDS, {"mentions": [[f"ach {n}"] for n in range(10)]}),
    ("no fold", {**ASK, "fold": 10}, TEN_FOLDS, "`datasets.mine.fold` is 10; "),
    ("preprocessed", PREPROCESSED, QUERIES, {"mentions": [["aches"], ["b||c"]]}),
    (
        "missing",
        ASK,
        {},
        "fold-0.test.txt: no such file, needed by data set 'mine'; ask the authors",
    ),
    ("cometa", COMETA, COMETA_FILES, {"gold": [[["1"]]], "mentions": [["hurts"]]}),
    ("specific", {**COMETA, "concept": "specific"}, COMETA_FILES, {"gold": [[["2"]]]}),
    given("mention rows as prepared", ROWS, ROW_FILES)(
        mentions=[["wilson disease"]], gold=[[["D1", "2"]]], dropped={"no_concept": 1}
    ),
    ("as written", {**ROWS, "mention": "written"}, ROW_FILES, {"mentions": [["wd"]]}),
    ("biosyn without gold", BIOSYN, {**BIOSYN_FILES, **BIOSYN_EMPTY}, NO_GOLD),
    ("ask without gold", ASK, fold(0, "-1\tx\ty\n"), NO_GOLD),
    ("rows without gold", ROWS, {**ROW_FILES, "m.txt": "7\tx\t-1\tx\n"}, NO_GOLD),
    ("cometa without gold", COMETA, {**COMETA_FILES, COMETA_TEST: COMETA_EMPTY}, NO_GOLD),
)


ONE = {"d.txt": "1||a\n", "mentions.txt": "", **AGONY, "cometa/dictionary.txt": "1||a\n"}

test_a_malformed_row_is_named_by_file_and_line = cases(
    *wrong(
        (PUBTATOR, "c.txt", DOCUMENT),
        ("123\t0\t6\tcold\tDisease\n", ":13: expected a title, an abstract, a relation or"),
        ("123\tx\t6\tcold\tDisease\tD1\n", ":13: expected a title"),
        ("words\n", ":13: expected a title"),
        ("123\t0\t6\t \tDisease\tD1\n", ":13: a mention is empty"),
        files=ONE,
    ),
    *wrong(
        (BIOSYN, "processed_test/1.concept", ""),
        ("1||0|3||a cold||D1\n", ":1: expected document||span||type||mention||ids"),
        ("1||0|3||T||+||D1\n", ":1: a mention is empty"),
        files=ONE,
    ),
    *wrong(
        (ASK, "askapatient/AskAPatient.fold-0.test.txt", ""),
        ("1\tpain\n", ":1: expected a row of id"),
        ("1\tpain\t\n", ":1: a phrase is empty"),
        files=ONE,
    ),
    *wrong(
        (
            {**ASK, "form": "preprocessed"},
            "askapatient/AskAPatient.fold-0.test.preprocessed_query.txt",
            "1||aches\n",
        ),
        ("1|a\n", ":2: expected id||phrase"),
        ("1|| \n", ":2: a phrase is empty"),
        files=ONE,
    ),
    *wrong(
        (COMETA, COMETA_TEST, ""),
        ("ID\tTerm\n", ":1: the header has no column 'General SNOMED ID'"),
        (COMETA_HEADER + "0\t17\tHurts\n", ":2: expected a row with Term"),
        (COMETA_HEADER + "0\t17\t\t1\tPain\t2\n", ":2: a term is empty"),
        files=ONE,
    ),
    *wrong(
        (ROWS, "m.txt", ""),
        ("7\tx\tD1\n", ":1: expected a row of document"),
        ("7\tx\tD1\t\n", ":1: a mention is empty"),
        files={"d.txt": "D1\tx\t\n"},
    ),
)
