"""Readers of scored pairs, on small files of each format and on each kind of malformed row."""

import gzip

import pytest

from workflow_scripts.datasets.catalogue import raw_files, read_dataset
from workflow_scripts.errors import UserError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def entry(form, **options):
    return {"task": "similarity", "format": form, "language": "en", **options}


def mistake(root, block):
    with pytest.raises(UserError) as caught:
        read_dataset(root, block, "mine")
    return str(caught.value)


# --- SemEval STS -------------------------------------------------------------------------------

STS = entry("semeval-sts", path="y")


def write_sts(root, subset="a", pairs="one\ttwo\nthree\tfour\n", gold="1.5\n5\n", prefix="STS"):
    write(root / f"y/{prefix}.input.{subset}.txt", pairs)
    write(root / f"y/{prefix}.gs.{subset}.txt", gold)


def test_sts_puts_all_subsets_of_a_year_together(tmp_path):
    write_sts(tmp_path, "b", "five\tsix\r\n", "0\r\n")
    write_sts(tmp_path, "a")
    write(tmp_path / "y/STS.gs.ALL.txt", "1.5\n5\n0\n")
    pairs = read_dataset(tmp_path, STS)
    assert pairs.left == ["one", "three", "five"]
    assert pairs.right == ["two", "four", "six"]
    assert pairs.gold == [1.5, 5.0, 0.0]
    assert pairs.subset == ["a", "a", "b"]
    assert pairs.dropped == {}


def test_sts_drops_pairs_without_score_by_position(tmp_path):
    write_sts(tmp_path, pairs="a\tb\nc\td\ne\tf\ng\th\n", gold="\n2.70\n\n4\n")
    pairs = read_dataset(tmp_path, STS)
    assert (pairs.left, pairs.gold) == (["c", "g"], [2.7, 4.0])
    assert pairs.dropped == {"no_gold_score": 2}


def test_sts_reads_the_names_and_four_columns_of_2016(tmp_path):
    write_sts(tmp_path, "q", "a\tb\thttp://x\thttp://y\n", "3\n", prefix="STS2016")
    assert read_dataset(tmp_path, STS).right == ["b"]
    names = [path.name for path in raw_files(tmp_path, STS)]
    assert names == ["STS2016.input.q.txt", "STS2016.gs.q.txt"]


def test_sts_keeps_unusual_line_separators_inside_a_sentence(tmp_path):
    write_sts(tmp_path, pairs="a\u2028b\tc\x1cd\n", gold="3\n")
    pairs = read_dataset(tmp_path, STS)
    assert (pairs.left, pairs.right) == (["a\u2028b"], ["c\x1cd"])


def test_sts_reads_only_the_subsets_asked_for(tmp_path):
    write_sts(tmp_path, "a")
    write_sts(tmp_path, "SMT", "u\tv\n", "1\n")
    assert set(read_dataset(tmp_path, {**STS, "subsets": ["SMT"]}).subset) == {"SMT"}
    assert "STS.input.OnWN.txt: no such file" in mistake(tmp_path, {**STS, "subsets": ["OnWN"]})


def test_sts_names_both_files_where_lengths_differ(tmp_path):
    write_sts(tmp_path, gold="1.5\n")
    message = mistake(tmp_path, STS)
    assert "STS.input.a.txt has 2 lines" in message
    assert "STS.gs.a.txt has 1" in message


@pytest.mark.parametrize(
    ("pairs", "gold", "message"),
    [
        ("one\ttwo\nthree\n", "1\n1\n", "STS.input.a.txt:2: expected a row of sentence"),
        ("one\ttwo\nthree\t \n", "1\n1\n", "STS.input.a.txt:2: a sentence is empty"),
        ("one\ttwo\nthree\tfour\n", "1\nhigh\n", "STS.gs.a.txt:2: expected a score from 0 to 5"),
        ("one\ttwo\nthree\tfour\n", "1\n5.1\n", "STS.gs.a.txt:2: expected a score from 0 to 5"),
        ("one\ttwo\nthree\tfour\n", "1\nnan\n", "STS.gs.a.txt:2: expected a score from 0 to 5"),
        ("one\ttwo\n", "\n", "no pair with a gold score in"),
    ],
)
def test_sts_names_file_and_line_of_a_malformed_row(tmp_path, pairs, gold, message):
    write_sts(tmp_path, pairs=pairs, gold=gold)
    assert message in mistake(tmp_path, STS)


def test_sts_names_a_missing_folder_and_a_missing_gold_file(tmp_path):
    assert raw_files(tmp_path, STS) == [tmp_path / "y"]
    assert f"{tmp_path / 'y'}: no such file, needed by data set 'mine'" in mistake(tmp_path, STS)
    write(tmp_path / "y/STS.input.a.txt", "a\tb\n")
    assert "STS.gs.a.txt: no such file" in mistake(tmp_path, STS)


def test_sts_names_the_line_that_is_not_utf8(tmp_path):
    write_sts(tmp_path)
    (tmp_path / "y/STS.input.a.txt").write_bytes(b"one\ttwo\ncaf\xe9\tfour\n")
    assert "STS.input.a.txt:2: not UTF-8" in mistake(tmp_path, STS)


# --- STS Benchmark -----------------------------------------------------------------------------

STSB = entry("sts-benchmark")
STSB_ROW = 'main-captions\tMSRvid\t2012test\t0024\t2.500\tA girl.\tA "boy.\n'


def test_sts_benchmark_reads_tabs_and_leaves_quotes_alone(tmp_path):
    extra = "main-news\theadlines\t2015\t1\t0\tc\td\torigin\torigin\n"
    write(tmp_path / "sts-benchmark/sts-test.csv", STSB_ROW + extra)
    pairs = read_dataset(tmp_path, STSB)
    assert pairs.left == ["A girl.", "c"]
    assert pairs.right == ['A "boy.', "d"]
    assert pairs.gold == [2.5, 0.0]
    assert pairs.subset == ["MSRvid", "headlines"]


def test_sts_benchmark_reads_the_split_asked_for(tmp_path):
    write(tmp_path / "sts-benchmark/sts-dev.csv", STSB_ROW)
    assert len(read_dataset(tmp_path, {**STSB, "split": "dev"}).gold) == 1
    assert "sts-test.csv: no such file" in mistake(tmp_path, STSB)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\tb\tc\td\t1\te\n", "sts-test.csv:2: expected an STS Benchmark row"),
        ("a\tb\tc\td\tx\te\tf\n", "sts-test.csv:2: expected a score from 0 to 5, found 'x'"),
        ("a\tb\tc\td\t-1\te\tf\n", "sts-test.csv:2: expected a score from 0 to 5, found '-1'"),
        ("a\tb\tc\td\t1\t\tf\n", "sts-test.csv:2: a sentence is empty"),
    ],
)
def test_sts_benchmark_names_file_and_line_of_a_malformed_row(tmp_path, row, message):
    write(tmp_path / "sts-benchmark/sts-test.csv", STSB_ROW + row)
    assert message in mistake(tmp_path, STSB)


# --- SICK --------------------------------------------------------------------------------------

SICK = entry("sick")
SICK_TEST = "sick/semeval2014/SICK_test_annotated.txt"
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n"
FULL_HEADER = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tx\tSemEval_set"


def test_sick_reads_the_semeval_files_by_header(tmp_path):
    write(tmp_path / SICK_TEST, SICK_HEADER + "6\ta\tb\t3.3\tNEUTRAL\r\n7\tc\td\t5\tNEUTRAL\r\n")
    pairs = read_dataset(tmp_path, SICK)
    assert (pairs.left, pairs.right, pairs.gold) == (["a", "c"], ["b", "d"], [3.3, 5.0])


@pytest.mark.parametrize("name", ["sick/SICK.txt", "sick/SICK.txt.gz"])
def test_sick_reads_a_split_of_the_full_file(tmp_path, name):
    text = f"{FULL_HEADER}\n1\ta\tb\tNEUTRAL\t4.5\t\tTRAIN\n2\tc\td\tNEUTRAL\t1\t\tTEST\r\n"
    text += "3\te\tf\tNEUTRAL\t2\t\tTRIAL"
    path = tmp_path / name
    path.parent.mkdir()
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    block = {**SICK, "path": name}
    assert read_dataset(tmp_path, block).left == ["c"]
    assert read_dataset(tmp_path, {**block, "split": "dev"}).left == ["e"]
    assert read_dataset(tmp_path, {**block, "split": "train"}).gold == [4.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair_ID\tsentence_A\n", ":1: the header has no column 'sentence_B'"),
        (SICK_HEADER + "6\ta\tb\n", ":2: expected a row with sentence_A"),
        (SICK_HEADER + "6\ta\tb\t0.5\tNEUTRAL\n", ":2: expected a score from 1 to 5"),
        (SICK_HEADER + "6\ta\t\t3\tNEUTRAL\n", ":2: a sentence is empty"),
        (SICK_HEADER + "\n6\ta\tb\t3\tNEUTRAL\n", ":2: expected a row with sentence_A"),
        ("", ": the file is empty"),
        (SICK_HEADER, "no pair with a gold score"),
    ],
)
def test_sick_names_file_and_line_of_a_malformed_row(tmp_path, text, message):
    write(tmp_path / SICK_TEST, text)
    assert "SICK_test_annotated.txt" in (found := mistake(tmp_path, SICK))
    assert message in found


def test_sick_names_the_splits_it_has(tmp_path):
    assert "did you mean 'test'" in mistake(tmp_path, {**SICK, "split": "tests"})


# --- SimLex ------------------------------------------------------------------------------------

SIMLEX = entry("simlex", split="all")


def test_simlex_reads_by_header(tmp_path):
    text = "POS\tword1\tword2\tSimLex999\textra\r\nA\told\tnew\t1.58\t2\r\nN\tx\ty\t10\t3\r\n"
    write(tmp_path / "simlex-999/SimLex-999.txt", text)
    pairs = read_dataset(tmp_path, SIMLEX)
    assert (pairs.left, pairs.right) == (["old", "x"], ["new", "y"])
    assert (pairs.gold, pairs.subset) == ([1.58, 10.0], ["A", "N"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word1\tword2\tPOS\n", ":1: the header has no column 'SimLex999'"),
        ("word1\tword2\tPOS\tSimLex999\na\tb\tN\n", ":2: expected a row"),
        ("word1\tword2\tPOS\tSimLex999\na\tb\tN\t11\n", ":2: expected a score from 0 to 10"),
        ("word1\tword2\tPOS\tSimLex999\n\tb\tN\t1\n", ":2: a word is empty"),
    ],
)
def test_simlex_names_file_and_line_of_a_malformed_row(tmp_path, text, message):
    write(tmp_path / "simlex-999/SimLex-999.txt", text)
    assert f"SimLex-999.txt{message}" in mistake(tmp_path, SIMLEX)


# --- Multi-SimLex ------------------------------------------------------------------------------

MULTI = entry("multi-simlex", split="all")
WORDS = 'ID,ENG 1,ENG 2,FRA 1,FRA 2\r\n1,arm,muscle,bras,muscle\r\n2,a,b,"c, d",\r\n3,e,f,g,h\r\n'
SCORES = "ID,FRA,ENG\r\n3,6,0\r\n1,2.5,0.7\r\n2,1,3\r\n"


def write_multi(root, words=WORDS, scores=SCORES):
    write(root / "multi-simlex/translation.csv", words)
    write(root / "multi-simlex/scores.csv", scores)


def test_multi_simlex_joins_words_and_scores_by_id(tmp_path):
    write_multi(tmp_path)
    pairs = read_dataset(tmp_path, MULTI)
    assert pairs.left == ["arm", "a", "e"]
    assert pairs.right == ["muscle", "b", "f"]
    assert pairs.gold == [0.7, 3.0, 0.0]
    assert pairs.dropped == {}


def test_multi_simlex_drops_and_counts_empty_cells(tmp_path):
    write_multi(tmp_path)
    pairs = read_dataset(tmp_path, {**MULTI, "language": "fr"})
    assert (pairs.left, pairs.gold) == (["bras", "g"], [2.5, 6.0])
    assert pairs.dropped == {"empty_cell": 1}


def test_multi_simlex_understands_quotes_and_lines_within_them(tmp_path):
    words = 'ID,ENG 1,ENG 2\n1,"a ""b"", c","d\ne"\n2,f,g\n'
    write_multi(tmp_path, words=words, scores="ID,ENG\n1,1\n2,x\n")
    assert "scores.csv:3: expected a score from 0 to 6" in mistake(tmp_path, MULTI)
    write_multi(tmp_path, words=words, scores="ID,ENG\n1,1\n2,2\n")
    pairs = read_dataset(tmp_path, MULTI)
    assert (pairs.left, pairs.right) == (['a "b", c', "f"], ["d\ne", "g"])


@pytest.mark.parametrize(
    ("words", "scores", "message"),
    [
        ("ID,FRA 1,FRA 2\n", SCORES, "translation.csv:1: the header has no column 'ENG 1'"),
        (WORDS, "ID,FRA\n1,2\n", "scores.csv:1: the header has no column 'ENG'"),
        (WORDS + "4,a\n", SCORES, "translation.csv:5: expected 5 fields as in the header, found 2"),
        (WORDS + "4,a,b,c,d\n", SCORES, "translation.csv:5: ID '4' has no row in"),
        (WORDS + "3,a,b,c,d\n", SCORES, "translation.csv:5: ID '3' occurs twice"),
        (WORDS + '4,"a,b,c,d\n', SCORES, "not valid CSV"),
        ("", SCORES, "translation.csv:1: the header has no column 'ID'"),
    ],
)
def test_multi_simlex_names_file_and_line_of_a_malformed_row(tmp_path, words, scores, message):
    write_multi(tmp_path, words, scores)
    assert message in mistake(tmp_path, MULTI)


def test_multi_simlex_names_an_unknown_language(tmp_path):
    write_multi(tmp_path)
    assert "language 'xx' is not in Multi-SimLex" in mistake(tmp_path, {**MULTI, "language": "xx"})


def test_multi_simlex_refuses_a_repeated_id_in_the_scores(tmp_path):
    write_multi(tmp_path, scores=SCORES + "2,1,1\r\n")
    assert "scores.csv:5: ID '2' occurs twice" in mistake(tmp_path, MULTI)


def test_multi_simlex_without_a_score_is_refused(tmp_path):
    write_multi(tmp_path, scores="ID,ENG\n1,\n2,\n3,\n")
    assert "data set 'mine': no pair with a gold score in" in mistake(tmp_path, MULTI)


# --- Multi-SimLex across languages -------------------------------------------------------------

ACROSS = entry("multi-simlex-pairs", split="all", languages=["en", "fr"])
CONCEPTS = "ID,ENG 1,ENG 2,FRA 1,FRA 2\n1,arm,leg,bras,jambe\n2,a,b,un,\n3,e,f,g,h\n4,i,j,k,l\n"
# differences of 1 (0.3 - 1.3 is a little more in floating point), 0, 1.1 and a missing score
CONCEPT_SCORES = "ID,FRA,ENG\n1,1.3,0.3\n2,1,1\n3,2,3.1\n4,,2\n"


def test_words_are_coupled_across_languages_in_both_orders(tmp_path):
    write_multi(tmp_path, CONCEPTS, CONCEPT_SCORES)
    pairs = read_dataset(tmp_path, ACROSS)
    assert list(zip(pairs.left, pairs.right, pairs.subset, strict=True)) == [
        ("arm", "jambe", "en-fr"),
        ("leg", "bras", "fr-en"),
        ("b", "un", "fr-en"),
    ]
    assert pairs.gold == pytest.approx([0.8, 0.8, 1.0])
    assert pairs.dropped == {"empty_cell": 3, "scores_disagree": 2}


def test_the_order_and_the_largest_difference_are_options(tmp_path):
    write_multi(tmp_path, CONCEPTS, CONCEPT_SCORES)
    pairs = read_dataset(tmp_path, {**ACROSS, "both_orders": False, "largest_difference": 6})
    assert (pairs.left, pairs.right) == (["arm", "e"], ["jambe", "h"])
    assert pairs.gold == pytest.approx([0.8, 2.55])
    assert pairs.dropped == {"empty_cell": 2}
    swapped = read_dataset(tmp_path, {**ACROSS, "languages": ["fr", "en"]})
    assert swapped.left == ["bras", "jambe", "un"]


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (["en"], "option 'languages' must name two different languages"),
        (["en", "en"], "option 'languages' must name two different languages"),
        (["en", "xx"], "language 'xx' is not in Multi-SimLex"),
    ],
)
def test_pairs_across_languages_need_two_known_languages(tmp_path, languages, message):
    write_multi(tmp_path, CONCEPTS, CONCEPT_SCORES)
    assert message in mistake(tmp_path, {**ACROSS, "languages": languages})


@pytest.mark.parametrize(
    ("words", "scores", "message"),
    [
        (CONCEPTS + "4,a,b,c,d\n", CONCEPT_SCORES, "translation.csv:6: ID '4' occurs twice"),
        (CONCEPTS, CONCEPT_SCORES + "5,1,7\n6,1\n", "scores.csv:7: expected 3 fields"),
        (CONCEPTS + "5,a,b,c,d\n", CONCEPT_SCORES, "translation.csv:6: ID '5' has no row in"),
        (CONCEPTS, CONCEPT_SCORES.replace("0.3", "7"), "scores.csv:2: expected a score from 0 to"),
    ],
)
def test_pairs_across_languages_name_file_and_line(tmp_path, words, scores, message):
    write_multi(tmp_path, words, scores)
    assert message in mistake(tmp_path, ACROSS)


# --- SemEval-2017 ------------------------------------------------------------------------------

STS17 = entry("sts2017", track="track3.es-es")


def write_sts17(root, pairs="uno\tdos\ntres\tcuatro\n", gold="1.5\n5\n", track="track3.es-es"):
    write(root / f"sts2017/STS2017.eval.v1.1/STS.input.{track}.txt", pairs)
    write(root / f"sts2017/STS2017.gs/STS.gs.{track}.txt", gold)


def test_sts2017_reads_a_track_with_its_scores(tmp_path):
    write_sts17(tmp_path)
    pairs = read_dataset(tmp_path, STS17)
    assert (pairs.left, pairs.right) == (["uno", "tres"], ["dos", "cuatro"])
    assert (pairs.gold, pairs.subset) == ([1.5, 5.0], ["track3.es-es"] * 2)


def test_only_the_turkish_track_may_hold_pairs_that_nobody_scored(tmp_path):
    write_sts17(tmp_path, gold="1.5\n", track="track6.tr-en")
    pairs = read_dataset(tmp_path, {**STS17, "track": "track6.tr-en"})
    assert (pairs.left, pairs.dropped) == (["uno"], {"no_gold_score": 1})
    write_sts17(tmp_path, gold="1.5\n")
    assert "es-es.txt has 2 lines but" in mistake(tmp_path, STS17)
    write_sts17(tmp_path, gold="1\n2\n3\n", track="track6.tr-en")
    assert "has 2 lines but" in mistake(tmp_path, {**STS17, "track": "track6.tr-en"})


@pytest.mark.parametrize(
    ("pairs", "gold", "message"),
    [
        ("a\tb\nc\n", "1\n1\n", "STS.input.track3.es-es.txt:2: expected a row of sentence"),
        ("a\tb\nc\t\n", "1\n1\n", "STS.input.track3.es-es.txt:2: a sentence is empty"),
        ("a\tb\nc\td\n", "1\n\n", "STS.gs.track3.es-es.txt:2: expected a score from 0 to 5"),
        ("", "", "no pair with a gold score"),
    ],
)
def test_sts2017_names_file_and_line_of_a_malformed_row(tmp_path, pairs, gold, message):
    write_sts17(tmp_path, pairs, gold)
    assert message in mistake(tmp_path, STS17)


def test_sts2017_names_an_unknown_track(tmp_path):
    assert "option 'track' cannot be 'es-es'" in mistake(tmp_path, {**STS17, "track": "es-es"})


# --- STS Benchmark, translated -----------------------------------------------------------------

MULTI_MT = {**entry("stsb-multi-mt"), "language": "ru"}


def test_stsb_multi_mt_reads_quoted_csv_of_a_language_and_split(tmp_path):
    write(tmp_path / "stsb-multi-mt/stsb-ru-dev.csv", '"Раз, ""два""",Три,2.5\r\nА,Б,5.0\r\n')
    pairs = read_dataset(tmp_path, {**MULTI_MT, "split": "dev"})
    assert (pairs.left, pairs.right) == (['Раз, "два"', "А"], ["Три", "Б"])
    assert (pairs.gold, pairs.subset) == ([2.5, 5.0], ["ru", "ru"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,b\n", ":2: expected a row of sentence,sentence,score (3 fields), found 2"),
        ("a,b,c,1\n", ":2: expected a row of sentence,sentence,score (3 fields), found 4"),
        ("a,b,x\n", ":2: expected a score from 0 to 5"),
        ("a,,1\n", ":2: a sentence is empty"),
        ('"a,b,1\n', ":2: not valid CSV"),
    ],
)
def test_stsb_multi_mt_names_file_and_line_of_a_malformed_row(tmp_path, row, message):
    write(tmp_path / "stsb-multi-mt/stsb-ru-test.csv", "a,b,1\n" + row)
    assert f"stsb-ru-test.csv{message}" in mistake(tmp_path, MULTI_MT)
