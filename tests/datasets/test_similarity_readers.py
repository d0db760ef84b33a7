"""Readers of scored pairs, on small files of each format and on each kind of malformed row."""

import pytest
from dataset_reading import cases, entry, given, mistake, raw_files, read_dataset, wrong
from written_files import write, write_all


def similarity(form, **options):
    return entry("similarity", form, **options)


# --- SemEval STS -------------------------------------------------------------------------------

STS = similarity("semeval-sts", path="y")


TWO = "one\ttwo\nthree\tfour\n"


def sts(pairs=TWO, gold="1.5\n5\n", subset="a", prefix="STS"):
    return {f"y/{prefix}.input.{subset}.txt": pairs, f"y/{prefix}.gs.{subset}.txt": gold}


YEAR = {**sts("five\tsix\r\n", "0\r\n", "b"), **sts(), "y/STS.gs.ALL.txt": "1.5\n5\n0\n"}
BLANKS = sts(" a  b\tc\u00a0 \n", "3\n")
UNSCORED = sts("a\tb\nc\td\ne\tf\ng\th\n", "\n2.70\n\n4\n")

test_sts = cases(
    given("all subsets of a year", STS, YEAR)(
        left=["one", "three", "five"],
        right=["two", "four", "six"],
        gold=[1.5, 5.0, 0.0],
        subset=["a", "a", "b"],
        dropped={},
    ),
    given("no score", STS, UNSCORED)(
        left=["c", "g"], gold=[2.7, 4.0], dropped={"no_gold_score": 2}
    ),
    ("as in 2016", STS, sts("a\tb\thttp://x\ty\n", "3\n", "q", "STS2016"), {"right": ["b"]}),
    given("unusual line separators stay inside a sentence", STS, sts("a\u2028b\tc\x1cd\n", "3\n"))(
        left=["a\u2028b"], right=["c\x1cd"]
    ),
    ("blanks are kept", STS, BLANKS, {"left": [" a  b"], "right": ["c\u00a0 "]}),
    ("or collapsed", {**STS, "whitespace": "collapsed"}, BLANKS, {"left": ["a b"], "right": ["c"]}),
    ("only the subsets asked for", {**STS, "subsets": ["b"]}, YEAR, {"subset": ["b"]}),
    ("missing subset", {**STS, "subsets": ["OnWN"]}, YEAR, "STS*.input.OnWN.txt: no such file"),
    ("missing gold", STS, {"y/STS.input.a.txt": "a\tb\n"}, "STS.gs.a.txt: no such file"),
    *wrong(
        (STS, "y/STS.input.a.txt", "one\ttwo\n"),
        ("three\n", ":2: expected a row of sentence"),
        ("three\t \n", ":2: a sentence is empty"),
        files=sts(),
    ),
    *wrong(
        (STS, "y/STS.gs.a.txt", "1\n"),
        *[(f"{text}\n", ":2: expected a score from 0 to 5") for text in ("high", "5.1", "nan")],
        files=sts(),
    ),
    ("no gold", STS, sts("one\ttwo\n", "\n"), "no pair with a gold score in"),
    ("lengths", STS, sts(TWO, "1.5\n"), "STS.input.a.txt: has 2 lines but"),
    ("not UTF-8", STS, sts(b"one\ttwo\ncaf\xe9\tfour\n"), "STS.input.a.txt:2: not UTF-8"),
)


JOINED = {"y/a.test.tsv": "1.5\tone\ttwo\n5\tthree\tfour\n", "y/b.test.tsv": "0\tfive\tsix\r\n"}
JOINED_UNSCORED = {"y/a.test.tsv": "\ta\tb\n2.70\tc\td\n \te\tf\n4\tg\th\n"}

test_sts_with_scores_next_to_the_pairs = cases(
    given("all subsets of a year", STS, {**JOINED, "y/b.train.tsv": "1\tno\tno\n"})(
        left=["one", "three", "five"],
        right=["two", "four", "six"],
        gold=[1.5, 5.0, 0.0],
        subset=["a", "a", "b"],
        dropped={},
    ),
    given("no score", STS, JOINED_UNSCORED)(
        left=["c", "g"], gold=[2.7, 4.0], dropped={"no_gold_score": 2}
    ),
    ("only the subsets asked for", {**STS, "subsets": ["b"]}, JOINED, {"subset": ["b"]}),
    ("missing subset", {**STS, "subsets": ["a", "OnWN"]}, JOINED, "OnWN.test.tsv: no such file"),
    (
        "the released files go first",
        STS,
        {**sts(), "y/c.test.tsv": "1\tx\ty\n"},
        {"right": ["two", "four"]},
    ),
    *wrong(
        (STS, "y/a.test.tsv", "1\tone\ttwo\n"),
        ("1\tthree\n", ":2: expected a row of score<TAB>sentence<TAB>sentence"),
        ("1\tthree\t \n", ":2: a sentence is empty"),
        ("5.1\tthree\tfour\n", ":2: expected a score from 0 to 5"),
    ),
)


def joined(files):
    """Return the files of a year with the scores next to their pairs."""
    made = {}
    for path, pairs in files.items():
        if ".input." in path:
            subset = path.split(".input.")[1].removesuffix(".txt")
            scores = files[path.replace(".input.", ".gs.")].splitlines()
            lines = zip(scores, pairs.split("\n"), strict=False)
            made[f"y/{subset}.test.tsv"] = "".join(f"{gold}\t{pair}\n" for gold, pair in lines)
    return made


@pytest.mark.parametrize("subsets", [None, ["OnWN", "FNWN"]])
def test_sts13_is_the_same_set_from_both_layouts(tmp_path, subsets):
    released = {
        **sts("(cause to) come\treach or come.\n", "3.8\n", "OnWN"),
        **sts(' a "b\tc  d \none\ttwo\nthree\tf\u2028our\n', "0.6\n\n5\n", "FNWN"),
        **sts("SC dismisses\tSC\n", "4.4\n", "headlines"),
    }
    write_all(tmp_path / "released", released)
    write_all(tmp_path / "joined", joined(released))
    block = {**STS, "subsets": subsets}
    one, other = (read_dataset(tmp_path / form, block) for form in ("released", "joined"))
    assert vars(one) == vars(other)
    assert one.subset == (
        ["OnWN", "FNWN", "FNWN"] if subsets else ["FNWN", "FNWN", "OnWN", "headlines"]
    )


@pytest.mark.shared_data
@pytest.mark.parametrize("year", ["12", "14", "15", "16"])
def test_a_real_year_is_the_same_set_from_both_layouts(shared_data, tmp_path, year):
    """Of the files in ../shared: 2013, which comes with scores next to the pairs, is not there."""
    folder = shared_data / f"semeval-sts-original/STS{year}-en-test"
    released = {
        f"y/{file.name}": file.read_bytes().decode()
        for file in folder.glob("STS*.*.*.txt")
        if ".ALL." not in file.name
    }
    write_all(tmp_path, joined(released))
    one = read_dataset(shared_data, {**STS, "path": f"semeval-sts-original/STS{year}-en-test"})
    other = read_dataset(tmp_path, STS)
    assert vars(one) == vars(other)


def test_sts_names_a_missing_folder_and_lists_its_files(tmp_path):
    assert raw_files(tmp_path, STS) == [tmp_path / "y"]
    assert f"{tmp_path / 'y'}: no such file, needed by data set 'mine'" in mistake(tmp_path, STS)
    for path, text in sts(prefix="STS2016").items():
        write(tmp_path / path, text)
    names = [path.name for path in raw_files(tmp_path, STS)]
    assert names == ["STS2016.input.a.txt", "STS2016.gs.a.txt"]
    # either layout may come: a part of a download is no layout yet
    (tmp_path / "z").mkdir()
    (tmp_path / "z/a.test.tsv.part").touch()
    assert raw_files(tmp_path, {**STS, "path": "z", "subsets": ["a"]}) == [tmp_path / "z"]


# --- STS Benchmark, also translated ------------------------------------------------------------

STSB, STSB_TEST = similarity("sts-benchmark"), "sts-benchmark/sts-test.csv"
STSB_ROW = 'main-captions\tMSRvid\t2012test\t0024\t2.500\tA girl.\tA "boy.\n'
STSB_LONGER = STSB_ROW + "main-news\theadlines\t2015\t1\t0\tc\td\torigin\torigin\n"
MULTI_MT = {**similarity("stsb-multi-mt"), "language": "ru"}
FIELDS = ":2: expected a row of sentence,sentence,score (3 fields), found "

test_sts_benchmark = cases(
    given("tabs, and quotes left alone", STSB, {STSB_TEST: STSB_LONGER})(
        left=["A girl.", "c"],
        right=['A "boy.', "d"],
        gold=[2.5, 0.0],
        subset=["MSRvid", "headlines"],
    ),
    ("a split", {**STSB, "split": "dev"}, {"sts-benchmark/sts-dev.csv": STSB_ROW}, {"gold": [2.5]}),
    ("missing split", {**STSB, "split": "dev"}, {STSB_TEST: ""}, "sts-dev.csv: no such file"),
    *wrong(
        (STSB, STSB_TEST, STSB_ROW),
        ("a\tb\tc\td\t1\te\n", ":2: expected an STS Benchmark row"),
        ("a\tb\tc\td\tx\te\tf\n", ":2: expected a score from 0 to 5, found 'x'"),
        ("a\tb\tc\td\t-1\te\tf\n", ":2: expected a score from 0 to 5, found '-1'"),
        ("a\tb\tc\td\t1\t\tf\n", ":2: a sentence is empty"),
    ),
    *wrong(
        (MULTI_MT, "stsb-multi-mt/stsb-ru-test.csv", "a,b,1\n"),
        ("a,b\n", f"{FIELDS}2"),
        ("a,b,c,1\n", f"{FIELDS}4"),
        ("a,b,x\n", ":2: expected a score from 0 to 5"),
        ("a,,1\n", ":2: a sentence is empty"),
        ('"a,b,1\n', ":2: not valid CSV"),
    ),
    given(
        "quoted csv of a language and split",
        {**MULTI_MT, "split": "dev"},
        {"stsb-multi-mt/stsb-ru-dev.csv": '"Раз, ""два""",Три,2.5\r\nА,Б,5.0\r\n'},
    )(left=['Раз, "два"', "А"], right=["Три", "Б"], gold=[2.5, 5.0], subset=["ru", "ru"]),
)


# --- SICK --------------------------------------------------------------------------------------

SICK, SICK_TEST = similarity("sick"), "sick/semeval2014/SICK_test_annotated.txt"
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n"
FULL_HEADER = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tx\tSemEval_set"
FULL = f"{FULL_HEADER}\n1\ta\tb\tNEUTRAL\t4.5\t\tTRAIN\n2\tc\td\tNEUTRAL\t1\t\tTEST\r\n"
FULL += "3\te\tf\tNEUTRAL\t2\t\tTRIAL"
SPLITS = {"test": {"left": ["c"]}, "dev": {"left": ["e"]}, "train": {"gold": [4.5]}}

test_sick = cases(
    given(
        "by header",
        SICK,
        {SICK_TEST: SICK_HEADER + "6\ta\tb\t3.3\tNEUTRAL\r\n7\tc\td\t5\tNEUTRAL\r\n"},
    )(left=["a", "c"], right=["b", "d"], gold=[3.3, 5.0]),
    *(
        (f"{split} of the full {name}", {**SICK, "path": name, "split": split}, {name: FULL}, found)
        for name in ("sick/SICK.txt", "sick/SICK.txt.gz")
        for split, found in SPLITS.items()
    ),
    *wrong(
        (SICK, SICK_TEST, ""),
        ("pair_ID\tsentence_A\n", ":1: the header has no column 'sentence_B'"),
        (SICK_HEADER + "6\ta\tb\n", ":2: expected a row with sentence_A"),
        (SICK_HEADER + "6\ta\tb\t0.5\tNEUTRAL\n", ":2: expected a score from 1 to 5"),
        (SICK_HEADER + "6\ta\t\t3\tNEUTRAL\n", ":2: a sentence is empty"),
        (SICK_HEADER + "\n6\ta\tb\t3\tNEUTRAL\n", ":2: expected a row with sentence_A"),
        ("", ": the file is empty"),
    ),
    ("no pair", SICK, {SICK_TEST: SICK_HEADER}, "no pair with a gold score in"),
    (
        "of another split",
        {**SICK, "path": "sick/SICK_train.txt"},
        {"sick/SICK_train.txt": SICK_HEADER + "6\ta\tb\t3.3\tNEUTRAL\r\n"},
        "SICK_train.txt:1: no column SemEval_set that says what is `test`",
    ),
    (
        "of a split that there is not",
        {**SICK, "path": "sick/SICK.txt"},
        {"sick/SICK.txt": FULL.replace("TEST", "Test")},
        ":3: expected a split among TRAIN, TRIAL, TEST, found 'Test'",
    ),
    ("split", {**SICK, "split": "tests"}, {}, "`datasets.mine.split` is 'tests'; use one of: "),
)


# --- SimLex and SemEval-2017 -------------------------------------------------------------------

SIMLEX, SIMLEX_FILE = similarity("simlex", split="all"), "simlex-999/SimLex-999.txt"
STS17 = similarity("sts2017", track="track3.es-es")
TURKISH = {**STS17, "track": "track6.tr-en"}


def sts17(pairs="uno\tdos\ntres\tcuatro\n", gold="1.5\n5\n", track="track3.es-es"):
    return {
        f"sts2017/STS2017.eval.v1.1/STS.input.{track}.txt": pairs,
        f"sts2017/STS2017.gs/STS.gs.{track}.txt": gold,
    }


test_simlex_and_sts_2017 = cases(
    given(
        "simlex by header",
        SIMLEX,
        {
            SIMLEX_FILE: "POS\tword1\tword2\tSimLex999\textra\r\n"
            "A\told\tnew\t1.58\t2\r\nN\tx\ty\t10\t3\r\n"
        },
    )(left=["old", "x"], right=["new", "y"], gold=[1.58, 10.0], subset=["A", "N"]),
    *wrong(
        (SIMLEX, SIMLEX_FILE, "word1\tword2\tPOS"),
        ("\n", ":1: the header has no column 'SimLex999'"),
        ("\tSimLex999\na\tb\tN\n", ":2: expected a row"),
        ("\tSimLex999\na\tb\tN\t11\n", ":2: expected a score from 0 to 10"),
        ("\tSimLex999\n\tb\tN\t1\n", ":2: a word is empty"),
    ),
    given("a track of 2017", STS17, sts17())(
        left=["uno", "tres"], right=["dos", "cuatro"], gold=[1.5, 5.0], subset=["track3.es-es"] * 2
    ),
    given(
        "only the Turkish track may hold pairs that nobody scored",
        TURKISH,
        sts17(gold="1.5\n", track="track6.tr-en"),
    )(left=["uno"], dropped={"no_gold_score": 1}),
    ("another track", STS17, sts17(gold="1.5\n"), "es-es.txt: has 2 lines but"),
    ("more scores", TURKISH, sts17(gold="1\n2\n3\n", track="track6.tr-en"), "has 2 lines but"),
    ("track", {**STS17, "track": "es-es"}, {}, "`datasets.mine.track` is 'es-es'; use one of: tr"),
)


# --- Multi-SimLex, also across languages -------------------------------------------------------

MULTI = similarity("multi-simlex", split="all")
WORDS = 'ID,ENG 1,ENG 2,FRA 1,FRA 2\r\n1,arm,muscle,bras,muscle\r\n2,a,b,"c, d",\r\n3,e,f,g,h\r\n'
SCORES = "ID,FRA,ENG\r\n3,6,0\r\n1,2.5,0.7\r\n2,1,3\r\n"
QUOTED = 'ID,ENG 1,ENG 2\n1,"a ""b"", c","d\ne"\n2,f,g\n'
ACROSS = similarity("multi-simlex-pairs", split="all", languages=["en", "fr"])
CONCEPTS = "ID,ENG 1,ENG 2,FRA 1,FRA 2\n1,arm,leg,bras,jambe\n2,a,b,un,\n3,e,f,g,h\n4,i,j,k,l\n"
# differences of 1 (2.2 - 1.2 is a little more in floating point), 0, 1.1 and a missing score
CONCEPT_SCORES = "ID,FRA,ENG\n1,2.2,1.2\n2,1,1\n3,2,3.1\n4,,2\n"


def multi(words=WORDS, scores=SCORES):
    return {"multi-simlex/translation.csv": words, "multi-simlex/scores.csv": scores}


test_multi_simlex = cases(
    given("words and scores are joined by ID", MULTI, multi())(
        left=["arm", "a", "e"], right=["muscle", "b", "f"], gold=[0.7, 3.0, 0.0], dropped={}
    ),
    given("empty cells are dropped and counted", {**MULTI, "language": "fr"}, multi())(
        left=["bras", "g"], gold=[2.5, 6.0], dropped={"empty_cell": 1}
    ),
    given("quotes and lines within them", MULTI, multi(QUOTED, "ID,ENG\n1,1\n2,2\n"))(
        left=['a "b", c', "f"], right=["d\ne", "g"]
    ),
    ("no number", MULTI, multi(QUOTED, "ID,ENG\n1,1\n2,x\n"), "scores.csv:3: expected a score"),
    ("words", MULTI, multi("ID,FRA 1,FRA 2\n"), "translation.csv:1: the header has no column 'ENG"),
    ("scores", MULTI, multi(scores="ID,FRA\n1,2\n"), "scores.csv:1: the header has no column"),
    ("short row", MULTI, multi(WORDS + "4,a\n"), "translation.csv:5: expected 5 fields as in the"),
    ("no scores", MULTI, multi(WORDS + "4,a,b,c,d\n"), "translation.csv:5: ID '4' has no row in"),
    ("twice", MULTI, multi(WORDS + "3,a,b,c,d\n"), "translation.csv:5: ID '3' occurs twice"),
    ("scores twice", MULTI, multi(scores=SCORES + "2,1,1\r\n"), "scores.csv:5: ID '2' occurs tw"),
    ("quote", MULTI, multi(WORDS + '4,"a,b,c,d\n'), "not valid CSV"),
    ("empty", MULTI, multi(""), "translation.csv:1: the header has no column 'ID'"),
    ("no gold", MULTI, multi(scores="ID,ENG\n1,\n2,\n3,\n"), "no pair with a gold score in"),
    ("language", {**MULTI, "language": "xx"}, {}, "`datasets.mine.language` is 'xx'; 'xx' is not"),
    ("one language", {**ACROSS, "languages": ["en"]}, {}, "languages` is ['en']; give at least 2"),
    ("the same", {**ACROSS, "languages": ["en", "en"]}, {}, "has 'en' twice; remove one"),
    ("unknown", {**ACROSS, "languages": ["en", "xx"]}, {}, "'xx' is not in Multi-SimLex"),
    (
        "pairs: score",
        ACROSS,
        multi(CONCEPTS, CONCEPT_SCORES.replace("1.2", "7")),
        "scores.csv:2: expected a score from 0 to",
    ),
)


@pytest.mark.parametrize(
    ("options", "triples", "gold", "dropped"),
    [
        (
            {},
            [("arm", "jambe", "en-fr"), ("leg", "bras", "fr-en"), ("b", "un", "fr-en")],
            [1.7, 1.7, 1.0],
            {"empty_cell": 3, "scores_disagree": 2},
        ),
        (
            {"both_orders": False, "largest_difference": 6},
            [("arm", "jambe", "en-fr"), ("e", "h", "en-fr")],
            [1.7, 2.55],
            {"empty_cell": 2},
        ),
    ],
)
def test_words_are_coupled_across_languages(tmp_path, options, triples, gold, dropped):
    for path, text in multi(CONCEPTS, CONCEPT_SCORES).items():
        write(tmp_path / path, text)
    pairs = read_dataset(tmp_path, {**ACROSS, **options})
    assert list(zip(pairs.left, pairs.right, pairs.subset, strict=True)) == triples
    assert pairs.gold == pytest.approx(gold)
    assert pairs.dropped == dropped


# --- your own scored pairs ---------------------------------------------------------------------

OWN = similarity("scored-pairs", path="mine.tsv")
NAMED = {**OWN, "columns": ["first", "second", "grade"]}
OWN_HEADER = "grade\tfirst\tid\tsecond\n"
BOUNDED = {**OWN, "lowest": 0.0, "highest": 4.0}

test_scored_pairs = cases(
    given("three columns, no header", OWN, {"mine.tsv": 'a "b\tc\t-3\nd\te\t1e2\tmore\n'})(
        left=['a "b', "d"], right=["c", "e"], gold=[-3.0, 100.0], subset=["mine", "mine"]
    ),
    given("columns by name, wherever they stand", NAMED, {"mine.tsv": OWN_HEADER + "2\ta\t1\tb\n"})(
        left=["a"], right=["b"], gold=[2.0]
    ),
    given(
        "a quoted csv", {**NAMED, "path": "m.csv"}, {"m.csv": 'first,grade,second\n"a, b",2,c\n'}
    )(left=["a, b"], right=["c"], gold=[2.0], subset=["m"]),
    given("gzipped", {**OWN, "path": "mine.tsv.gz"}, {"mine.tsv.gz": "a\tb\t1\n"})(
        gold=[1.0], subset=["mine"]
    ),
    *wrong(
        (OWN, "mine.tsv", "a\tb\t1\n"),
        ("c\td\n", ":2: expected a row of string<TAB>string<TAB>score"),
        *[(f"c\td\t{text}\n", ":2: expected a number") for text in ("x", "nan", "inf", "")],
        ("c\t \t2\n", ":2: a string is empty"),
    ),
    *wrong(
        (NAMED, "mine.tsv", ""),
        ("first\tsecond\n", ":1: the header has no column 'grade'"),
        (OWN_HEADER + "1\ta\n", ":2: expected a row with first, second, grade"),
    ),
    *wrong(
        (BOUNDED, "mine.tsv", "a\tb\t1\n"),
        ("c\td\t5\n", ":2: expected a score from 0 to 4, found '5'"),
    ),
    ("no such file", OWN, {}, "mine.tsv: no such file"),
    ("two columns", {**OWN, "columns": ["a", "b"]}, {}, "is ['a', 'b']; give at least 3"),
)
