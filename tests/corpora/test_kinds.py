"""What each kind of corpus makes of its files, and what it says of those that it cannot read."""

import hashlib
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_files import write_all

from workflow_scripts.corpora.kinds import nli
from workflow_scripts.corpora.pair_lines import LABELS, pair_lines
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.corpus_strings import read_corpus


def kind(kind, **block):
    return {"kind": kind, **block}


MISSING = ": no such file, needed by corpus `corpus`; put the file there or change `corpora.corpus."
REPEATS = {"deduplicate": False}

# ---- sentences -----------------------------------------------------------------------------------

GLUE_QNLI = "index\tquestion\tsentence\tlabel\n0\twhy?\tso\tentailment\n"
GLUE_NLI = "index\tsentence1\tsentence2\tgold_label\n0\tone\ttwo\tneutral\n"
STANFORD_NLI = "gold_label\tsentence1_parse\tsentence1\tsentence2\n-\t(x)\tone\ttwo\n"
JSON_NLI = ' \n{"sentence2": "two", "sentence1": "one", "gold_label": "-"}\n'
SAMPLE = '{"0": {"text_a": "one", "text_b": "two", "label": "neutral"}}'
STSB = "g\tf\ty\t1\t3\tone\ttwo\ng\tf\ty\t2\t\ttwo\tthree\n"
MATRIX = '1.2\tHola\tHello\n1.04\tSí\tYes\n1.039\tNo\tNot\n1.1\t"a\tb\n'
PAIRED = 'A cat || a dog\none||two\none||two\na "b"||c, d\n'
LINES = "\ufeffone  a \r\n \r\ntwo\u2028b\r\nend"
ONE_TWO, RIGHT = ["one", "two"], {"side": "right", "margin": 1.1}
BAD_MATRIX = {"b.tsv": MATRIX + "x\ta\tb\n", "c.tsv": MATRIX + "1\ta\n"}

# format, file, text, more keys, strings or what the error says
SENTENCES = [
    ("qnli", "s.tsv", GLUE_QNLI, {}, ["why?", "so"]),
    # the test split, which has no labels
    ("qnli", "s.tsv", "index\tquestion\tsentence\n0\twhy?\tso\n", {}, ["why?", "so"]),
    ("qnli", "s.json", SAMPLE, {}, ONE_TWO),
    ("nli", "s.tsv", GLUE_NLI, {}, ONE_TWO),
    ("nli", "s.txt", STANFORD_NLI, {}, ONE_TWO),
    ("nli", "s.jsonl", JSON_NLI, {}, ONE_TWO),
    ("nli", "s.json.gz", SAMPLE, {}, ONE_TWO),
    ("sts-benchmark", "t.csv", STSB, {}, ["one", "two", "three"]),
    ("sts-benchmark", "t.csv", STSB, REPEATS, ["one", "two", "two", "three"]),
    ("wikimatrix", "w.tsv", MATRIX, {}, ["Hola", "Sí", '"a']),
    ("wikimatrix", "w.tsv.gz", MATRIX, RIGHT, ["Hello", "b"]),
    ("lines", "s.txt", LINES, {}, ["one  a ", "two\u2028b", "end"]),
    ("lines", "s.txt", LINES, {"whitespace": "collapsed"}, ["one a", "two b", "end"]),
    ("lines", "s.txt", PAIRED, {}, ["A cat || a dog", "one||two", 'a "b"||c, d']),
    ("lines", "s.txt", PAIRED, REPEATS, PAIRED.splitlines()),
    ("lines", "s.txt", "\n \n", {}, "corpus 'corpus': no strings in "),
    ("qnli", "s.tsv", GLUE_QNLI + "1\twho?\n", {}, "s.tsv:3: expected a row with question"),
    ("nli", "s.tsv", GLUE_QNLI, {}, "s.tsv:1: the header has no column 'sentence1'"),
    ("nli", "s.jsonl", JSON_NLI + "{\n", {}, "s.jsonl:3: not valid JSON"),
    ("nli", "s.jsonl", '\n{"sentence1": "a"}\n', {}, "s.jsonl:2: the object has no key 'sent"),
    ("nli", "s.json", '{\n"0": {"text_a": "a"}}', {}, "s.json:2: the object has no key 'te"),
    ("sts-benchmark", "t.csv", STSB + "a\tb\n", {}, "t.csv:3: expected an STS Benchmark row"),
    ("wikimatrix", "w.tsv", MATRIX + "x\ta\tb\n", {}, "w.tsv:5: expected a margin"),
    ("wikimatrix", "w.tsv", MATRIX + "1\ta\n", {}, "w.tsv:5: expected a row of margin"),
]

# ---- names and words -----------------------------------------------------------------------------


def rrf(language="ENG", source="MSH", string="Cold", suppress="N"):
    fields = ["C1", language, "P", "L1", "PF", "S1", "Y", "A1", "", "", "D1", source, "MH", "D1"]
    return "|".join([*fields, string, "0", suppress, "256"]) + "|\n"


RRF = rrf(string="Cold") + rrf(string="Old", suppress="O") + rrf("SPA", string="Frío")
RRF += rrf(source="RXNORM", string="Aspirin") + rrf(string="Fièvre, ENG") + rrf(string="Cold")
UMLS = kind("names", format="mrconso", path="M.RRF")
FEVER = "Fièvre, ENG"
NAMES = kind("names", path="s.txt")
# of a list, where a repeated word and what is not a word do not count
WORDS = kind("frequent-words", language="xx", path="l.txt", size=2)
LISTED = {"l.txt": "a\nb\na\n1\nc\nb\nd\ne\n"}

# ---- JSON lines ----------------------------------------------------------------------------------

TITLES = kind("table", path="d.jsonl", column="title")
TITLE = '{"title": "one"}\n'
BLANKS = f'\n{TITLE} \t\n\r\n{{"title": " "}}\n{{"title": ""}}\n\n'
IN_OBJECT = "d.jsonl:3: expected a JSON object, found"
IN_KEY, FIX = "d.jsonl:3: the key 'title' has", "; fix or remove the line"
# text, more keys, strings
JSON_LINES = [
    (TITLE + '{"id": 5, "title": "two", "more": {"title": "x"}}', {}, ONE_TWO),
    ("\ufeff" + TITLE.replace("\n", "\r\n") + ' {"title":"two"} \r\n', {}, ONE_TWO),
    # as JSON escapes it, and as it stands; a line of the corpus has one string
    ('{"title": "caf\\u00e9"}\n{"title": "caffè"}\n', {}, ["café", "caffè"]),
    ('{"title": "a\\nb"}\n{"title": "c\u2028d"}\n', {}, ["a b", "c\u2028d"]),
    ('{"title": " a  b "}\n', {}, [" a  b "]),
    ('{"title": " a  b "}\n', {"whitespace": "collapsed"}, ["a b"]),
    (BLANKS, {}, ["one"]),
    ('{"title": 5}\n{"title": 0.5}\n', {}, ["5", "0.5"]),
    (TITLE, {"where": {"of": "b"}}, "d.jsonl:1: the object has no key 'of'"),
    # a key is a name, not a path
    ('{"a.b": "c", "a": {"b": "d"}}\n', {"column": "a.b"}, ["c"]),
    ("\n", {}, "corpus 'corpus': no strings in "),
    # of a third line: the blank one counts
    *(
        (f"{TITLE}\n{line}\n{TITLE}", {}, message)
        for line, message in [
            ('["one"]', f"{IN_OBJECT} a list{FIX}"),
            ("null", f"{IN_OBJECT} null{FIX}"),
            ('"title"', f"{IN_OBJECT} a string{FIX}"),
            ("{", "d.jsonl:3: not valid JSON"),
            ('{"title": "a", "title": "b"}', "d.jsonl:3: the key 'title' occurs twice; remove"),
            ('{"title": "\\ud800"}', "d.jsonl:3: half a character"),
            ("{}", f"d.jsonl:3: the object has no key 'title' (it has none){FIX}"),
            ('{"Title": 1, "id": 1}', "d.jsonl:3: the object has no key 'title' (it has Title, id"),
            ('{"title": true}', f"{IN_KEY} true or false, not a"),
            ('{"title": null}', f"{IN_KEY} null, not a string"),
            ('{"title": ["a"]}', f"{IN_KEY} a list, not a string"),
            ('{"title": {"a": 1}}', f"{IN_KEY} an object, not a string"),
        ]
    ),
]

# ---- pairs ---------------------------------------------------------------------------------------

ROWS = "A cat.\tUne chatte.\n\tVide\nA dog.\tUn chien.\nA || b\tA b\nOne|\tUn\n"
# a row may have further columns
MINED = "1.2\tHola\tHello\ten\tes\n1.0\tNo\tNot\n1.04\tSí\tYes\n"
TWO = {"source": "a.en", "target": "a.fr.gz"}
CATS = ["A cat.||Une chatte.", "A dog.||Un chien."]
BITEXT = {"a.en": "A cat.\nA dog.\n", "a.fr.gz": "Une chatte.\nUn chien.\n", "a.tsv": ROWS}
BITEXT |= {"m.tsv": MINED, "b.fr": "Une chatte.\n"}
KEPT_OUT = [{"reader": "lines", "files": ["e.txt"]}]
HENS = {"a.tsv": ROWS + "A hen.\tUne poule.\n", "e.txt": "a cat\nIt has more. UN CHIEN\n"}
SEVERAL = [TWO, {"path": "m.tsv", "margin": 1.04}, {"path": "a.tsv", "columns": [2, 1]}]
# told apart this way round
TURNED = ["Une chatte.||A cat.", "Un chien.||A dog.", "Un||One|"]
FILMS = {"a.tsv": "text\tother\tlabel\nA good film.\tx\t+\nBad || film\ty\t-\n"}


def films(*columns):
    return kind("labelled", texts=[{"path": "a.tsv", "columns": [*columns]}])


# ---- premises and hypotheses ---------------------------------------------------------------------

INFERENCE = [("one", "two", "entailment"), ("three", "four", "-"), ("five", "six", "neutral")]
KEYS, SAMPLE_KEYS = ("sentence1", "sentence2", "gold_label"), ("text_a", "text_b", "label")
OBJECTS, ENTRIES = (
    [dict(zip(keys, pair, strict=True)) for pair in INFERENCE] for keys in (KEYS, SAMPLE_KEYS)
)
# file, its text, its columns, and the line of the last pair
FORMS = [
    ("a.jsonl", "\n".join(map(json.dumps, OBJECTS)) + "\n", {}, 3),
    ("a.json", json.dumps({str(n): entry for n, entry in enumerate(ENTRIES)}), {}, 1),
    (
        "a.txt",
        "gold_label\tx\tsentence1\tsentence2\n"
        + "".join(f"{label}\t(x)\t{one}\t{two}\n" for one, two, label in INFERENCE),
        *({}, 4),
    ),
    (
        "a.csv",
        "h,p,label\n" + "".join(f'"{two}",{one},{label}\n' for one, two, label in INFERENCE),
        *({"columns": ["p", "h", "label"]}, 4),
    ),
]
INFERRED = (["one||two||entailment", "five||six||neutral"], {"no_agreement": 1})
NOT_KNOWN = ": expected a label among entailment, neutral, contradiction, contradictory, -, found"
TRANSLATED = kind("nli", path="t.{language}", columns=["p", "h", "y"])
TRANSLATED |= {"premise_language": "a.tsv", "hypothesis_language": "b.tsv"}


def translated(label, other, *more):
    return {"t.a.tsv": f"p\th\ty\na p\ta h\t{label}\n", "t.b.tsv": f"p\th\ty\n{other}"}


def groups(languages, number, labels=None):
    """Files of premises, each with its three hypotheses, in some languages; and their labels."""
    files = {
        f"s.{one}": "".join(
            f"{one} p{g}\n" + "".join(f"{one} h{g}.{h}\n" for h in range(3)) for g in range(number)
        )
        for one in languages
    }
    labels = labels or [LABELS[row % 3] for row in range(number * 3)]
    return {**files, "labels": "".join(f"{label}\n" for label in labels)}


XNLI = kind("nli", path="s.{language}", labels="labels", languages=["a", "b"])
ODD_GROUPS = groups("ab", 2) | {"s.b": groups("b", 2)["s.b"] + "more\n"}

# ---- several together ----------------------------------------------------------------------------

JOINED = kind("joined", of=["one", "two"])
WORD_LISTS = {"one.txt": "the\nnon\na\n", "two.txt": "le\nnon\n"}
TEXTS = {"one.txt": "a\nb\n\nc\nd\ne\n\nf\ng\n", "two.txt": "h\ni\nc\n\n"}

# ---- running text: what makes documents ----------------------------------------------------------

KEPT = [f"The {animal} slept in the garden." for animal in ("cat", "dog", "owl", "fox", "hen")]
OWN = {
    "a.txt": "First one of all.\n\nSecond one of all. Third\n one of all.\n",
    "b.txt": "Fourth one of all.\nFifth one of all.\n",
}
FIRST, REST = "First one of all.", ["Second one of all.", "Third one of all."]
# the line end is not a sentence's where lines are paragraphs
BROKEN, LAST = ["Second one of all.", "Third", "one of all."], OWN["b.txt"].split("\n")[:2]
IDS = {"reader": "lines", "files": ["*.txt"], "document_ids": "ids.tsv"}
OF_IDS = {"a.txt": "\n".join(KEPT) + "\n", "ids.tsv": "a.1\r\na.1\r\nb\r\nb \r\na.1\r\n"}


def text(reader="blank-line-documents", files=("*.txt",), **more):
    texts = {"reader": reader, "files": [*files]} if isinstance(reader, str) else reader
    return kind("text", texts=[texts], **more)


def ids(text):
    return {**OF_IDS, "ids.tsv": text}


# block, files, and the lines of the corpus, these with what was dropped, or what the error says
CASES = [
    *((kind("sentences", format=f, path=p, **more), {p: t}, e) for f, p, t, more, e in SENTENCES),
    (UMLS, {"M.RRF": RRF}, ["Cold", "Aspirin", FEVER]),
    ({**UMLS, "path": "M.RRF.gz", "sources": ["MSH"]}, {"M.RRF.gz": RRF}, ["Cold", FEVER]),
    ({**UMLS, "language": "SPA"}, {"M.RRF": RRF}, ["Frío"]),
    ({**UMLS, "suppress": ["O"]}, {"M.RRF": RRF}, ["Old"]),
    ({**UMLS, **REPEATS}, {"M.RRF": RRF}, ["Cold", "Aspirin", FEVER, "Cold"]),
    (UMLS, {"M.RRF": rrf() + "C1|ENG|Cold|\n"}, "M.RRF:2: expected the 18 columns of MRCONSO.RRF"),
    (UMLS, {"M.RRF": rrf().encode() + b"caf\xe9\n"}, "M.RRF:2: not UTF-8"),
    (UMLS, {}, "M.RRF: no such file, needed by corpus `corpus`; UMLS needs a licence"),
    (NAMES, {}, f"s.txt{MISSING}path`"),
    (NAMES, {"s.txt": b"one\ncaf\xe9\n"}, "s.txt:2: not UTF-8"),
    ({**WORDS, "skip": 0}, LISTED, ["a", "b"]),
    ({**WORDS, "skip": 2}, LISTED, ["c", "d"]),
    ({**WORDS, "skip": 3, "size": "all"}, LISTED, ["d", "e"]),
    ({**WORDS, "skip": 2, **REPEATS}, LISTED, ["a", "c"]),
    ({**WORDS, "skip": 5}, LISTED, "'corpus': skip 5 leaves none of the 5 words; lower it"),
    *(({**TITLES, **more}, {"d.jsonl": rows}, found) for rows, more, found in JSON_LINES),
    (TITLES, {}, "d.jsonl: no such file, needed by corpus `corpus`"),
    (kind("bitext", pairs=[TWO]), BITEXT, CATS),
    (kind("bitext", pairs=[{"path": "a.tsv"}]), BITEXT, (CATS, {"empty": 1, "separator": 2})),
    (kind("bitext", pairs=SEVERAL), BITEXT, [*CATS, "Hola||Hello", "Sí||Yes", *TURNED]),
    (
        kind("bitext", pairs=[{"path": "a.tsv"}], kept_out=KEPT_OUT),
        HENS,
        (["A hen.||Une poule."], {"evaluation": 2, "empty": 1, "separator": 2}),
    ),
    (kind("bitext", pairs=[{**TWO, "target": "b.fr"}]), BITEXT, "a.en: has 2 lines but "),
    (kind("bitext", pairs=[{"path": "a.en"}]), BITEXT, "a.en:1: expected a row of sent"),
    (kind("bitext", pairs=[{"path": "a.en", "margin": 1.0}]), BITEXT, "a.en:1: expected a row of"),
    (kind("bitext", pairs=[{**TWO, "source": "b.en"}]), *(BITEXT, f"b.en{MISSING}pairs` or ")),
    (films("text", "label"), FILMS, (["A good film.||+"], {"separator": 1})),
    (films("text", "other", "label"), FILMS, "a.tsv: pairs of texts; an encoder is trained on sin"),
    *((kind("nli", path=name, **more), {name: rows}, INFERRED) for name, rows, more, _ in FORMS),
    *(
        (kind("nli", path=p, **more), {p: t.replace("neutral", "x")}, f"{p}:{line}{NOT_KNOWN}")
        for p, t, more, line in FORMS
    ),
    (
        TRANSLATED,
        translated("contradictory", "b p\tb h\tcontradictory\n"),
        ["a p||b h||contradiction"],
    ),
    (TRANSLATED, translated("neutral", "b p\tb h\t-\n"), "t.a.tsv:2: the label is 'neutral', but"),
    (TRANSLATED, translated("-", "b p\tb h\tneutral\n"), "t.a.tsv:2: the label is '-', but 'neu"),
    (TRANSLATED, translated("neutral", ""), "t.a.tsv: has 1 lines but "),
    (XNLI, ODD_GROUPS, "labels 6; each premise needs 3 lines of hypotheses and as many labels"),
    (XNLI, groups("ab", 2, ["neutral"] * 5 + ["x"]), f"labels:6{NOT_KNOWN}"),
    (JOINED, {"two.txt": "le\n"}, "one.txt: no such file"),
    (JOINED, WORD_LISTS, ["the", "non", "a", "le"]),
    ({**JOINED, **REPEATS}, WORD_LISTS, ["the", "non", "a", "le", "non"]),
    (JOINED, TEXTS, [*"ab", "", *"cde", "", *"fg", "", *"hic"]),
    # six lines each: whole documents of the one until there are six, two copies of the other
    (
        {**JOINED, "exponent": 0.0, "size": 12},
        *(TEXTS, [*"ab", "", *"cde", "", *"fg", "", *"hic", "", *"hic"]),
    ),
    (text("wrapped-document", minimum_letters=3), OWN, [FIRST, *REST, "", *LAST]),
    (text("document", minimum_letters=3), OWN, [FIRST, *BROKEN, "", *LAST]),
    (text(minimum_letters=3), OWN, ([*BROKEN, "", *LAST], {"alone": 1})),
    # the last is alone in its document, though one of its id was there before
    *(
        (text({**IDS, "files": [p]}), OF_IDS, ([*KEPT[:2], "", *KEPT[2:4]], {"alone": 1}))
        for p in ("*.txt", "*")
    ),
    (text(IDS), ids("a\nb\n"), "ids.tsv has 2; line i of one must belong"),
    (text(IDS), ids("a\na\n\nb\nb\n"), "ids.tsv:3: the id of a document is empty"),
    (text(IDS), {"a.txt": "a\n"}, "ids.tsv: no such file"),
    (text({**IDS, "reader": "document"}), OF_IDS, "'document_ids' is only for reader lines"),
    (text("lines"), OWN, "has two neighbouring sentences (left out: {'alone': "),
    (text("obo"), OWN, "a.txt: no line 'name"),
    (text("wikiextractor"), OWN, "a.txt:1: expected WikiExtractor output"),
    (text(), {}, f"*.txt{MISSING}texts` or "),
    (text(), {"a.txt": b"One of it.\n" + b"na\xefve\n"}, "a.txt:2: not UTF-8"),
]


@pytest.mark.parametrize(
    ("block", "files", "expected"),
    CASES,
    ids=[f"{block['kind']}-{number}" for number, (block, *_) in enumerate(CASES)],
)
def test_a_corpus_is_of_its_files_or_one_error_and_nothing(make, tmp_path, block, files, expected):
    write_all(tmp_path, files)
    block = block if block["kind"] == "joined" else {"size": "all", **block}
    if isinstance(expected, str):
        with pytest.raises(UserError) as caught:
            make(block)
        assert expected in str(caught.value) and "\n" not in str(caught.value)
        assert not list(tmp_path.glob("out/*"))
        return
    lines, record = make(block)
    lines_expected, dropped = expected if isinstance(expected, tuple) else (expected, None)
    assert lines == lines_expected
    assert dropped in (None, record["dropped"])


def test_the_record_counts_what_the_source_had(make, tmp_path):
    write_all(tmp_path, {"d.jsonl": BLANKS, **WORD_LISTS, **BITEXT})
    _, record = make({**TITLES, "size": "all"})
    assert (record["found"], record["blank"]) == (3, 2)
    _, record = make(JOINED)
    assert (record["strings"], record["found"], record["duplicates"]) == (4, 5, 1)
    assert (record["requested"], record["seed"]) == ("all", None)
    joined = [(tmp_path / f"{name}.txt").read_bytes() for name in ("one", "two")]
    assert record["source_sha256"] == [hashlib.sha256(text).hexdigest() for text in joined]
    lines, record = make(kind("bitext", pairs=SEVERAL, size=1))
    assert (len(lines), record["seed"], len(record["source_sha256"])) == (1, 0, 4)


def test_the_lines_of_pairs_are_read_as_what_they_were(make, tmp_path):
    write_all(tmp_path, {FORMS[0][0]: FORMS[0][1]})
    make(kind("nli", path=FORMS[0][0], size="all"))
    read = read_corpus(tmp_path / "out/corpus.txt", parts=3)
    assert (read.partners, read.labels) == (["two", "six"], ["entailment", "neutral"])


@given(st.lists(st.lists(st.text("ab| \n", max_size=5), min_size=2, max_size=2)))
def test_a_line_is_parted_as_it_was_or_left_out_and_counted(pairs):
    dropped = Counter()
    lines = list(pair_lines(pairs, "kept", dropped))
    assert len(lines) + dropped.total() == len(pairs)
    assert all(len(line.split("||")) == 2 and "\n" not in line for line in lines)
    clean = [pair for pair in pairs if not any(set(part) & {"|", "\n"} for part in pair)]
    expected = ["||".join(pair) for pair in clean if all(part.strip() for part in pair)]
    assert [line for line in lines if line in expected] == expected


def test_each_text_of_what_is_divided_is_in_one_part(make, tmp_path):
    write_all(tmp_path, {"a.tsv": "text\tlabel\n" + "".join(f"t{n}\t+\n" for n in range(10))})
    block = {**films("text", "label"), "divided": {"train": 3, "development": 1, "test": 1}}
    parts = [
        make({**block, "part": name, "size": "all"})[0] for name in ("train", "development", "test")
    ]
    assert [len(part) for part in parts] == [6, 2, 2]
    assert sorted(line for part in parts for line in part) == sorted(f"t{n}||+" for n in range(10))


@given(st.integers(1, 5), st.sampled_from(["ab", "abc"]), st.integers(0, 3))
def test_premise_and_hypothesis_of_a_group_are_in_two_languages(
    tmp_path_factory, number, languages, seed
):
    folder = tmp_path_factory.getbasetemp() / "groups"
    write_all(folder, groups(languages, number))
    options = nli.Options.model_validate({**XNLI, "languages": [*languages], "size": "all"})
    drawn = [list(options.strings(folder, seed, Counter())) for _ in range(2)]
    assert drawn[0] == drawn[1]
    for row, line in enumerate(drawn[0]):
        premise, hypothesis, label = line.split("||")
        assert premise[0] != hypothesis[0]
        assert (premise[1:], hypothesis[1:]) == (f" p{row // 3}", f" h{row // 3}.{row % 3}")
        assert label == LABELS[row % 3]
    assert len(drawn[0]) == 3 * number


def test_languages_may_be_given_and_every_two_are_drawn(make, tmp_path):
    write_all(tmp_path, groups("abc", 30))
    block = kind("nli", path="s.{language}", labels="labels", size="all")
    lines, _ = make({**block, "premise_language": "a", "hypothesis_language": "b"})
    assert {(line[0], line.split("||")[1][0]) for line in lines} == {("a", "b")}
    lines, _ = make({**block, "premise_language": "a", "hypothesis_language": "a"})
    assert lines[:2] == ["a p0||a h0.0||entailment", "a p0||a h0.1||neutral"]
    block["languages"] = ["a", "b", "c"]
    lines, _ = make(block)
    assert len({(line[0], line.split("||")[1][0]) for line in lines}) == 6
    assert make(block)[0] == lines != make(block, "--seed", "1")[0]
