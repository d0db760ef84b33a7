"""Readers of dictionaries and mentions, on small files of each format."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.datasets.biosyn import split_mention
from workflow_scripts.datasets.catalogue import raw_files, read_dataset
from workflow_scripts.datasets.dictionaries import read_dictionary, split_concept_ids
from workflow_scripts.datasets.entity_linking import accepted_concepts
from workflow_scripts.errors import UserError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def mistake(root, block):
    with pytest.raises(UserError) as caught:
        read_dataset(root, block, "mine")
    return str(caught.value)


def entry(form, **options):
    return {"task": "entity-linking", "format": form, "language": "en", **options}


# --- concept ids -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("D000001", ["D000001"]),
        ("D020388|C537666", ["D020388", "C537666"]),
        ("D007674+D006222", ["D007674", "D006222"]),
        (" D008661", ["D008661"]),
        ("OMIM:300322+OMIM:102600", ["300322", "102600"]),
        ("MESH:C537345 ", ["C537345"]),
        ("D1|D1", ["D1"]),
        ("-1", []),
        ("D1|-1", ["D1"]),
        ("CUI-less", []),
        ("", []),
    ],
)
def test_concept_ids_are_split_and_freed_of_prefixes(text, ids):
    assert split_concept_ids(text) == ids


IDS = st.lists(st.from_regex(r"\A[CD][0-9]{1,6}\Z"), min_size=1, max_size=5, unique=True)


@given(IDS, st.data())
def test_joined_concept_ids_come_back_whatever_joins_them(ids, data):
    text = ids[0]
    for one in ids[1:]:
        text += data.draw(st.sampled_from(["|", "+", " | ", "|MESH:", "+ "])) + one
    assert split_concept_ids(text) == ids


@given(st.lists(st.text(alphabet="ab c", min_size=1).filter(str.strip), min_size=1))
def test_mentions_of_the_processed_layout_come_back_in_order(parts):
    assert split_mention("|".join(parts)) == parts
    assert split_mention("+".join(parts)) == parts


@given(st.lists(st.text(), max_size=4), IDS, st.sampled_from(["any", "aligned"]))
def test_every_part_of_a_mention_has_accepted_concepts_of_the_mention(parts, ids, composite_gold):
    found, gold = accepted_concepts("whole", parts, ids, composite_gold)
    assert len(found) == len(gold) >= 1
    assert all(accepted and set(accepted) <= set(ids) for accepted in gold)
    assert {one for accepted in gold for one in accepted} == set(ids)


def test_composite_gold_any_lets_a_part_find_any_concept():
    assert accepted_concepts("x", ["a", "b"], ["1", "2"], "any") == (
        ["a", "b"],
        [["1", "2"], ["1", "2"]],
    )
    assert accepted_concepts("x", [], ["1", "2"], "any") == (["x"], [["1", "2"]])


def test_composite_gold_aligned_asks_each_part_for_its_own_concept():
    assert accepted_concepts("x", ["a", "b"], ["1", "2"], "aligned") == (["a", "b"], [["1"], ["2"]])
    assert accepted_concepts("x", [], ["1", "2"], "aligned") == (["x", "x"], [["1"], ["2"]])
    assert accepted_concepts("x", ["a", "b"], ["1"], "aligned") == (["x"], [["1"]])


# --- dictionaries ------------------------------------------------------------------------------


def test_medic_gives_every_name_the_main_and_the_alternative_ids(tmp_path):
    text = "C567755|613097||Tooth Agenesis|STHAG6\nD1||Colds\n"
    (tmp_path / "m.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert read_dictionary([tmp_path / "m.txt.gz"], "medic", lower_case=True) == (
        ["tooth agenesis", "sthag6", "colds"],
        [["C567755", "613097"], ["C567755", "613097"], ["D1"]],
    )


def test_mesh_terms_are_read_by_header(tmp_path):
    write(tmp_path / "terms.tsv", "mesh_id\tmesh_name\nD000001\tCalcimycin\n")
    names = read_dictionary([tmp_path / "terms.tsv"], "mesh-terms", lower_case=False)
    assert names == (["Calcimycin"], [["D000001"]])


def test_id_name_keeps_shared_names_and_leaves_out_repeated_entries(tmp_path):
    write(tmp_path / "a.txt", "1||Cold\n2||cold\n1||cold\n1|3||cold  sore\n")
    write(tmp_path / "b.txt", "1||COLD\n9||a||b\n")
    names = read_dictionary([tmp_path / "a.txt", tmp_path / "b.txt"], "id-name", lower_case=True)
    assert names == (["cold", "cold", "cold sore", "a||b"], [["1"], ["2"], ["1", "3"], ["9"]])


def test_shared_names_may_stand_for_all_their_concepts(tmp_path):
    write(tmp_path / "d.txt", "1||Cold\n2||cold\n3||flu\n1|2||COLD\n")
    names = read_dictionary([tmp_path / "d.txt"], "id-name", True, [("Flu", ["4"])], "merged")
    assert names == (["cold", "flu"], [["1", "2"], ["3", "4"]])


def test_id_name_passes_over_blank_lines_and_names_without_a_concept(tmp_path):
    write(tmp_path / "d.txt", "1||cold\n\nCUI-less||something\n2||flu\n")
    names = read_dictionary([tmp_path / "d.txt"], "id-name", lower_case=True)
    assert names == (["cold", "flu"], [["1"], ["2"]])


def test_id_tab_name_reads_alternative_ids(tmp_path):
    write(tmp_path / "d.txt", "OMIM:1\tcold\t\nD2\tflu\tOMIM:3|OMIM:4")
    names = read_dictionary([tmp_path / "d.txt"], "id-tab-name", lower_case=True)
    assert names == (["cold", "flu"], [["1"], ["D2", "3", "4"]])


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
    ],
)
def test_dictionaries_name_file_and_line_of_a_malformed_row(tmp_path, form, text, message):
    write(tmp_path / "d.txt", text)
    with pytest.raises(UserError) as caught:
        read_dictionary([tmp_path / "d.txt"], form, lower_case=True)
    assert f"d.txt{message}" in str(caught.value)


# --- PubTator ----------------------------------------------------------------------------------

PUBTATOR = entry("pubtator", path="c.txt", dictionary="d.txt", dictionary_format="id-name")
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


def write_pubtator(root, text=DOCUMENT):
    write(root / "c.txt", text)
    write(root / "d.txt", "D1||Vision loss\nD2||Hearing loss\n")


def test_pubtator_reads_mentions_and_composites(tmp_path):
    write_pubtator(tmp_path)
    found = read_dataset(tmp_path, {**PUBTATOR, "mention_type": "Disease"})
    assert found.names == ["vision loss", "hearing loss"]
    assert found.mentions == [
        ["vision loss"],
        ["vision loss", "hearing loss"],
        ["hc"],
        ["vision loss"],
    ]
    assert found.gold == [[["D1"]], [["D1", "D2"], ["D1", "D2"]], [["D1", "D2"]], [["D1"]]]
    assert found.dropped == {"no_concept": 1}


def test_pubtator_reads_all_types_and_keeps_plus_signs_of_mentions(tmp_path):
    write_pubtator(tmp_path)
    found = read_dataset(tmp_path, {**PUBTATOR, "lower_case": False})
    assert found.mentions[:2] == [["Vision Loss"], ["Na+"]]
    assert found.names == ["Vision loss", "Hearing loss"]


def test_pubtator_aligns_composites_and_drops_duplicates_if_asked(tmp_path):
    write_pubtator(tmp_path)
    block = {**PUBTATOR, "mention_type": "Disease"}
    found = read_dataset(tmp_path, {**block, "composite_gold": "aligned"})
    assert found.mentions[1:3] == [["vision loss", "hearing loss"], ["hc", "hc"]]
    assert found.gold[1:3] == [[["D1"], ["D2"]], [["D1"], ["D2"]]]
    found = read_dataset(tmp_path, {**block, "keep_duplicates": False})
    assert len(found.mentions) == 3
    assert found.dropped == {"no_concept": 1, "repeated_mention": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("123\t0\t6\tcold\tDisease\n", "c.txt:13: expected a title, an abstract, a relation or"),
        ("123\tx\t6\tcold\tDisease\tD1\n", "c.txt:13: expected a title"),
        ("words\n", "c.txt:13: expected a title"),
        ("123\t0\t6\t \tDisease\tD1\n", "c.txt:13: a mention is empty"),
    ],
)
def test_pubtator_names_file_and_line_of_a_malformed_row(tmp_path, line, message):
    write_pubtator(tmp_path, DOCUMENT + line)
    assert message in mistake(tmp_path, PUBTATOR)


def test_pubtator_adds_training_mentions_to_the_dictionary(tmp_path):
    write_pubtator(tmp_path)
    training = "9|t|Ill.\n9\t0\t3\tBlind\tDisease\tD1|D2\ta|b\n9\t0\t3\tVision  loss\tDisease\tD1\n"
    training += "9\t0\t3\tcold\tDisease\t-1\n9\t0\t3\tNa\tChemical\tD9\n"
    write(tmp_path / "t.txt", training)
    block = {**PUBTATOR, "mention_type": "Disease", "training_mentions": ["t.txt"]}
    assert raw_files(tmp_path, block)[-1] == tmp_path / "t.txt"
    found = read_dataset(tmp_path, block)
    assert found.names == ["vision loss", "hearing loss", "blind"]
    assert found.name_concepts == [["D1"], ["D2"], ["D1", "D2"]]
    assert (
        found.mentions == read_dataset(tmp_path, {**PUBTATOR, "mention_type": "Disease"}).mentions
    )
    write(tmp_path / "t.txt", training + "nothing\n")
    assert "t.txt:6: expected a title" in mistake(tmp_path, block)


def test_pubtator_counts_a_repeated_document_and_drops_its_mentions_on_demand(tmp_path):
    write_pubtator(tmp_path, "1|t|A\n1\t0\t1\tcold\tDisease\tD1\n\n" * 2)
    assert read_dataset(tmp_path, PUBTATOR).mentions == [["cold"], ["cold"]]
    found = read_dataset(tmp_path, {**PUBTATOR, "keep_duplicates": False})
    assert (found.mentions, found.dropped) == ([["cold"]], {"repeated_mention": 1})


def test_pubtator_without_a_linked_mention_is_refused(tmp_path):
    write_pubtator(tmp_path)
    block = {**PUBTATOR, "mention_type": "Gene"}
    assert "data set 'mine': no mention with a concept in" in mistake(tmp_path, block)


def test_pubtator_needs_to_be_told_the_form_of_the_dictionary(tmp_path):
    block = {key: value for key, value in PUBTATOR.items() if key != "dictionary_format"}
    assert "option 'dictionary_format' is missing" in mistake(tmp_path, block)


# --- BioSyn ------------------------------------------------------------------------------------

BIOSYN = entry("biosyn", path="processed_test", dictionary=["d.txt", "mentions.txt"])


def write_biosyn(root, text="1||0|3||SpecificDisease||breast cancer|ovarian cancer||D1|D2\n"):
    write(root / "processed_test/1.concept", text)
    write(root / "processed_test/2.concept", "2||0|3||Modifier||a cold||D3\n2||4|5||X||b||-1\n")
    write(root / "d.txt", "D1||breast cancer\nD3|4||cold\n")
    write(root / "mentions.txt", "D3||a cold\n")


def test_biosyn_reads_all_queries_of_a_folder_over_several_dictionaries(tmp_path):
    write_biosyn(tmp_path)
    found = read_dataset(tmp_path, BIOSYN)
    assert found.names == ["breast cancer", "cold", "a cold"]
    assert found.name_concepts == [["D1"], ["D3", "4"], ["D3"]]
    assert found.mentions == [["breast cancer", "ovarian cancer"], ["a cold"]]
    assert found.gold == [[["D1", "D2"], ["D1", "D2"]], [["D3"]]]
    assert found.dropped == {"no_concept": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1||0|3||a cold||D1\n", "1.concept:1: expected document||span||type||mention||ids"),
        ("1||0|3||T||+||D1\n", "1.concept:1: a mention is empty"),
    ],
)
def test_biosyn_names_file_and_line_of_a_malformed_row(tmp_path, text, message):
    write_biosyn(tmp_path, text)
    assert message in mistake(tmp_path, BIOSYN)


def test_biosyn_names_a_missing_folder(tmp_path):
    assert raw_files(tmp_path, BIOSYN) == [
        tmp_path / "processed_test",
        tmp_path / "d.txt",
        tmp_path / "mentions.txt",
    ]
    assert "processed_test: no such file" in mistake(tmp_path, BIOSYN)


# --- AskAPatient and COMETA --------------------------------------------------------------------

ASK = entry("askapatient", dictionary="askapatient/dictionary.txt", obtain="ask the authors")
COMETA = entry("cometa", dictionary="cometa/dictionary.txt")
COMETA_TEST = "cometa/splits/stratified_general/test.csv"
COMETA_HEADER = "\tID\tTerm\tGeneral SNOMED ID\tGeneral SNOMED Label\tSpecific SNOMED ID\n"


def test_askapatient_reads_a_fold_and_split(tmp_path):
    write(tmp_path / "askapatient/dictionary.txt", "102498003||Agony\n")
    write(
        tmp_path / "askapatient/AskAPatient.fold-3.validation.txt",
        "102498003\tAgony\tUnbearable pain\n102498003\tAgony\tUnbearable pain\n",
    )
    found = read_dataset(tmp_path, {**ASK, "fold": 3, "split": "dev"})
    assert found.mentions == [["unbearable pain"], ["unbearable pain"]]
    assert found.gold == [[["102498003"]], [["102498003"]]]
    assert found.names == ["agony"]


def test_askapatient_reads_the_encoding_it_is_given_out_in(tmp_path):
    write(tmp_path / "askapatient/dictionary.txt", "1||Agony\n")
    path = tmp_path / "askapatient/AskAPatient.fold-0.test.txt"
    path.write_bytes("1\tAgony\tpain\u00b4s bad\n".encode("iso-8859-1"))
    assert read_dataset(tmp_path, ASK).mentions == [["pain\u00b4s bad"]]


def test_askapatient_reads_all_folds_after_each_other(tmp_path):
    write(tmp_path / "askapatient/dictionary.txt", "1||Agony\n")
    for fold in range(10):
        write(tmp_path / f"askapatient/AskAPatient.fold-{fold}.test.txt", f"1\tAgony\tach {fold}\n")
    found = read_dataset(tmp_path, {**ASK, "fold": "all"})
    assert found.mentions == [[f"ach {fold}"] for fold in range(10)]
    assert "option 'fold' cannot be 10" in mistake(tmp_path, {**ASK, "fold": 10})


def test_askapatient_reads_the_preprocessed_phrases(tmp_path):
    write(tmp_path / "askapatient/dictionary.txt", "1||Agony\n")
    path = tmp_path / "askapatient/AskAPatient.fold-2.test.preprocessed_query.txt"
    write(path, "1||aches\n1||b||c\n")
    block = {**ASK, "fold": 2, "form": "preprocessed"}
    assert read_dataset(tmp_path, block).mentions == [["aches"], ["b||c"]]
    for row, message in [("1|a\n", ":2: expected id||phrase"), ("1|| \n", ":2: a phrase is empty")]:
        write(path, "1||aches\n" + row)
        assert f"preprocessed_query.txt{message}" in mistake(tmp_path, block)


def test_a_missing_licensed_set_says_where_it_is_to_be_had(tmp_path):
    message = mistake(tmp_path, ASK)
    assert "AskAPatient.fold-0.test.txt: no such file, needed by data set 'mine'" in message
    assert message.endswith("ask the authors")


@pytest.mark.parametrize(
    ("row", "message"), [("1\tpain\n", ":1: expected a row of id"), ("1\tpain\t\n", ":1: a phrase")]
)
def test_askapatient_names_file_and_line_of_a_malformed_row(tmp_path, row, message):
    write(tmp_path / "askapatient/dictionary.txt", "1||Agony\n")
    write(tmp_path / "askapatient/AskAPatient.fold-0.test.txt", row)
    assert f"AskAPatient.fold-0.test.txt{message}" in mistake(tmp_path, ASK)


def test_cometa_reads_terms_by_header(tmp_path):
    write(tmp_path / "cometa/dictionary.txt", "1||Pain\n2||Severe pain\n")
    write(tmp_path / COMETA_TEST, COMETA_HEADER + "0\t17\tHurts\t1\tPain\t2\n")
    assert read_dataset(tmp_path, COMETA).gold == [[["1"]]]
    assert read_dataset(tmp_path, {**COMETA, "concept": "specific"}).gold == [[["2"]]]
    assert read_dataset(tmp_path, COMETA).mentions == [["hurts"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ID\tTerm\n", ":1: the header has no column 'General SNOMED ID'"),
        (COMETA_HEADER + "0\t17\tHurts\n", ":2: expected a row with Term"),
        (COMETA_HEADER + "0\t17\t\t1\tPain\t2\n", ":2: a term is empty"),
    ],
)
def test_cometa_names_file_and_line_of_a_malformed_row(tmp_path, text, message):
    write(tmp_path / "cometa/dictionary.txt", "1||Pain\n")
    write(tmp_path / COMETA_TEST, text)
    assert f"test.csv{message}" in mistake(tmp_path, COMETA)


# --- sets without gold, and other forms --------------------------------------------------------

ROWS = entry("mention-rows", path="m.txt", dictionary="d.txt")


def test_mention_rows_give_the_mention_as_prepared_or_as_written(tmp_path):
    write(tmp_path / "d.txt", "D1\twilson disease\t\n")
    write(tmp_path / "m.txt", "7\tWD\tD1|OMIM:2\twilson disease\n7\tx\t-1\tx")
    found = read_dataset(tmp_path, ROWS)
    assert (found.mentions, found.gold) == ([["wilson disease"]], [[["D1", "2"]]])
    assert found.dropped == {"no_concept": 1}
    assert read_dataset(tmp_path, {**ROWS, "mention": "written"}).mentions == [["wd"]]


@pytest.mark.parametrize(
    ("row", "message"),
    [("7\tx\tD1\n", ":1: expected a row of document"), ("7\tx\tD1\t\n", ":1: a mention is empty")],
)
def test_mention_rows_name_file_and_line_of_a_malformed_one(tmp_path, row, message):
    write(tmp_path / "d.txt", "D1\tx\t\n")
    write(tmp_path / "m.txt", row)
    assert f"m.txt{message}" in mistake(tmp_path, ROWS)


@pytest.mark.parametrize(
    ("block", "name", "text"),
    [
        (PUBTATOR, "c.txt", "1|t|A\n1\t0\t1\tcold\tDisease\t-1\n"),
        (BIOSYN, "processed_test/1.concept", "1||0|3||T||cold||CUI-less\n"),
        (ASK, "askapatient/AskAPatient.fold-0.test.txt", "-1\tx\ty\n"),
        (COMETA, COMETA_TEST, COMETA_HEADER + "0\t17\tHurts\t\tPain\t2\n"),
        (ROWS, "m.txt", "7\tx\t-1\tx\n"),
    ],
    ids=lambda value: value["format"] if isinstance(value, dict) else "",
)
def test_a_set_without_gold_is_refused(tmp_path, block, name, text):
    given = block["dictionary"]
    for path in [given] if isinstance(given, str) else given:
        write(tmp_path / path, "1||a\n" if block["format"] != "mention-rows" else "1\ta\t\n")
    write(tmp_path / name, text)
    assert "data set 'mine': no mention with a concept in" in mistake(tmp_path, block)
