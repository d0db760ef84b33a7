"""Every row of the manifests of the real files is read, with its number of rows."""

import json
import re
from collections import Counter, defaultdict
from pathlib import PurePosixPath

import pytest
from dataset_reading import entry, read_dataset
from read_paragraphs import read_paragraphs
from real_files import read_manifest

from workflow_scripts.corpora.kinds import bitext
from workflow_scripts.corpora.kinds import sentences as sentences_kind
from workflow_scripts.corpora.sample_corpus import draw_corpus
from workflow_scripts.corpora.text_files import TextFiles
from workflow_scripts.corpora.text_readers import read_documents
from workflow_scripts.datasets.dictionaries import READERS
from workflow_scripts.datasets.frequent_words import read_word_list
from workflow_scripts.datasets.obo import read_obo
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_bytes, read_lines

pytestmark = pytest.mark.shared_data

# Files without data of their own to read: licences, descriptions, an archive of a file next to it,
# a list of typing mistakes that BioSyn fixes (its processed files come fixed), and the table of
# concepts from which the files of Multi-SimLex were assembled.
NOT_READ = re.compile(
    r"(?i)licen[cs]e|readme|metadata\.json$|\.zip$|ncbi-spell-check\.txt$|Vulic-2020-2244\.tsv$"
)


def sentences_of(root, row, form):
    """Return the strings of both sides of pairs, as a corpus has them."""
    block = {"kind": "sentences", "path": row["path"], "format": form, "size": "all"}
    return list(sentences_kind.Options(**block).strings(root, 0, Counter()))


def pairs_of(root, block):
    """Return (pairs with gold, pairs of the files)."""
    found = read_dataset(root, block)
    assert len(found.left) == len(found.right)
    return len(found.left), len(found.left) + sum(found.dropped.values())


# --- a reader for each folder: (root, row of the manifest) -> rows read ------------------------


def items(task, form, **keys):
    """Return a counter of the pairs of a data set whose keys are made of a row's path."""

    def count(root, row):
        path = PurePosixPath(row["path"])
        made = {key: value(path) if callable(value) else value for key, value in keys.items()}
        return pairs_of(root, entry(task, form) | made)[0]

    return count


def sts_year(root, row):
    path = PurePosixPath(row["path"])
    block = entry("similarity", "semeval-sts", path=str(path.parent))
    if path.name != "STS.gs.ALL.txt":
        block["subsets"] = [re.sub(r"STS(2016)?\.(input|gs)\.", "", path.name)[: -len(".txt")]]
    scored, pairs = pairs_of(root, block)
    if ".input." in path.name:
        assert row["published_rows"] == f"{pairs} pairs, {scored} with gold"
    return pairs


def sts_benchmark(root, row):
    path = PurePosixPath(row["path"])
    split = path.stem.removeprefix("sts-")
    block = entry("similarity", "sts-benchmark", path=str(path.parent), split=split)
    assert len(sentences_of(root, row, "sts-benchmark")) == 2 * int(row["rows"])
    return pairs_of(root, block)[0]


def sick(root, row):
    path = row["path"]
    splits = {"train": "_train", "dev": "_trial", "test": "_test"}
    if path.endswith(".gz"):
        blocks = [entry("similarity", "sick", path=path, split=split) for split in splits]
    else:
        [split] = [split for split, part in splits.items() if part in path]
        blocks = [entry("similarity", "sick", path=path.rpartition("/")[0], split=split)]
    return sum(pairs_of(root, block)[0] for block in blocks)


def sts2017(root, row):
    track = re.search(r"track.*(?=\.txt)", row["path"])[0]
    scored, pairs = pairs_of(root, entry("similarity", "sts2017", track=track))
    assert scored == 250
    return pairs if ".input." in row["path"] else scored


def pubtator(root, row):
    block = entry("entity-linking", "pubtator", path=row["path"], dictionary_format="medic")
    block["dictionary"] = "bel-dictionaries/medic_06Jul2012.txt.gz"
    for number, kind in re.findall(r"(\d+) (chemical|disease)", row["published_rows"]):
        assert mentions_of(root, {**block, "mention_type": kind.title()}) == int(number)
    return mentions_of(root, block)


def mentions_of(root, block):
    found = read_dataset(root, block)
    return len(found.gold) + sum(found.dropped.values())


def linking_dictionary(form):
    return lambda root, row: sum(1 for _ in READERS[form](root / row["path"]))


def chen2021(root, row):
    if "entity_kb" in row["path"]:
        return linking_dictionary("id-tab-name")(root, row)
    dictionary = "ncbi-disease-chen2021/entity_kb.txt.gz"
    block = entry("entity-linking", "mention-rows", path=row["path"], dictionary=dictionary)
    return mentions_of(root, block)


def qnli(root, row):
    sentences = len(sentences_of(root, row, "qnli"))
    if "no labels" in row["split"]:
        return sentences / 2
    pairs = pairs_of(root, entry("pair-classification", "qnli", path=row["path"]))[0]
    assert sentences == 2 * pairs
    return pairs


def qqp(root, row):
    labels = read_dataset(root, entry("pair-classification", "qqp", path=row["path"])).label
    assert (labels.count(0), labels.count(1)) == (5747, 3252)
    return len(labels)


def lexicon(root, row):
    path = PurePosixPath(row["path"])
    form = r"yacle\.(train|test)\.freq\.(\w+)\.(\w+)-(\w+)\.tsv"
    split, size, source, target = re.fullmatch(form, path.name).groups()
    block = {"task": "lexicon", "format": "xling-eval", "source": source, "target": target}
    block |= {"path": str(path.parent), "vocabulary_size": 0, split: size}
    return len(getattr(read_dataset(root, block), split))


def lines(root, row):
    """Corpora of lines; blank ones are not strings."""
    strings, counts = draw_corpus(read_lines(root / row["path"]), "all", False, None)
    if row["published_rows"]:
        assert len(strings) == int(row["published_rows"])
    return counts["found"]


def words(root, row):
    """Lists of words, from which what is not a word is left out."""
    found = read_word_list(root / row["path"])
    assert 0.98 * int(row["published_rows"]) < len(found) <= int(row["published_rows"])
    return lines(root, row)


def ontology(root, row):
    assert sum(1 for _ in read_paragraphs("obo", root / row["path"])) > int(row["rows"])
    return sum(1 for _ in read_obo(root / row["path"], ("name",)))


NLI_LABELS = {"positive": ["entailment"], "negative": ["neutral", "contradiction"]}
BINARY = {"positive": [1], "negative": [0]}


def labelled_pairs(columns=None, path=str, **labels):
    return items("pair-classification", "labelled-pairs", path=path, columns=columns, **labels)


def xnli(root, row):
    if "labels removed" not in row["split"]:
        return labelled_pairs(**NLI_LABELS)(root, row)
    return sum(1 for _ in read_paragraphs("tsv", root / row["path"], (1, 2))) / 2


MRPC = labelled_pairs(["#1 String", "#2 String", "Quality"], **BINARY)


def nli_sample(root, row):
    layout = Layout(["sentence1", "sentence2", "label"], delimiter=None)
    pairs = [fields for _, fields in read_rows(root / row["path"], layout)]
    assert {label for _, _, label in pairs} == {"entailment", "neutral", "contradiction"}
    assert len(sentences_of(root, row, "nli")) == 2 * len(pairs)
    return len(pairs)


# The two files of a set of SentEval that has a file for each label.
FILE_PER_LABEL = {"MR": "rt-polarity.pos rt-polarity.neg", "CR": "custrev.pos custrev.neg"}
FILE_PER_LABEL |= {"SUBJ": "subj.subjective subj.objective", "MPQA": "mpqa.pos mpqa.neg"}
TREC_GROUPS = {"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"}


def blank_lines(path):
    return sum(not line.strip() for line in read_bytes(path).decode().split("\n")[:-1])


def senteval(root, row):
    path = PurePosixPath(row["path"])
    folder = path.parts[1]
    if folder == "MRPC":
        return MRPC(root, row)
    part = {"path": row["path"]}
    if folder in FILE_PER_LABEL:
        files = {name: str(path.with_name(name)) for name in FILE_PER_LABEL[folder].split()}
        found = read_dataset(root, entry("classification", "labelled-texts", all={"path": files}))
        assert found.texts.count(["."]) == sum(blank_lines(root / file) for file in files.values())
        return found.labels.count(path.name)
    part["label"] = "last" if "binary" in path.parts else "first"
    if path.name == "train_5500.label":
        part["encoding"] = "iso-8859-1"
    found = read_dataset(root, entry("classification", "labelled-texts", all=part))
    expected = {"binary": set("01"), "fine": set("01234")}.get(path.parts[2], TREC_GROUPS)
    assert {label.split(":")[0] for label in found.labels} == expected
    return len(found.texts)


def text(reader):
    """Running text: as many paragraphs as there are lines with text, markup of the form aside."""

    def count(root, row):
        path = root / row["path"]
        raw = read_bytes(path).decode().split("\n")
        marks = ("<doc ", "</doc") if reader in ("wikiextractor", "doc-blocks") else ()
        paragraphs = [line for line in raw if line.strip() and not line.startswith(marks)]
        found = sum(1 for _ in read_paragraphs(reader, path))
        if path.parent.name == "json":
            texts = [json.loads(line)["text"] for line in paragraphs]
            assert found == sum(bool(line.strip()) for one in texts for line in one.split("\n"))
        else:
            assert found == len(paragraphs) > 0
        return len(raw) - (not raw[-1].strip())

    return count


def book(root, row):
    path = root / row["path"]
    found = list(read_paragraphs("gutenberg", path))
    raw = read_bytes(path)
    # all but the licence is left, which is under a twentieth of these books
    assert 0.8 < sum(len(one.split()) for one in found) / len(raw.split()) < 1
    assert not any("Project Gutenberg License" in one for one in found)
    return raw.count(b"\n")


def translations(english=None):
    """Count the pairs of a table, or of `english` and the file of a row or another next to it."""

    def count(root, row):
        path = PurePosixPath(row["path"])
        block = {"path": str(path)}
        if english is not None:
            others = sorted(file.name for file in (root / path.parent).glob("*.t*"))
            others = [name for name in others if name not in (english, "DOCUMENT_IDS.tsv")]
            target = others[0] if path.name == english else path.name
            names = {"source": english, "target": target}
            block = {key: str(path.with_name(name)) for key, name in names.items()}
        pairs = list(bitext.PairFiles(**block).pairs(root))
        assert all(len(pair) == 2 and all(side.strip() for side in pair) for pair in pairs)
        return len(pairs)

    return count


def ntrex(root, row):
    """Translations, and running text by the ids of its documents."""
    folder, ids = "ntrex-128", "ntrex-128/DOCUMENT_IDS.tsv"
    english = "newstest2019-src.eng.txt.gz"
    file = f"{folder}/{english}" if row["path"] == ids else row["path"]
    texts = TextFiles(reader="lines", files=[file], document_ids=ids)
    documents = list(texts.documents(root))
    assert len(documents) == 123
    lines = sum(map(len, documents))
    return lines if row["path"] == ids else min(lines, translations(english)(root, row))


def novel(root, row):
    """A book of Project Gutenberg, or chapters with a paragraph a line."""
    if row["path"].endswith("fr-800-8.txt"):
        return book(root, row)
    chapters = list(read_documents("blank-line-documents", root / row["path"]))
    assert f"chapters ({len(chapters)})" in row["note"]
    return sum(map(len, chapters))


READER_OF = {
    **dict.fromkeys(["semeval-sts-original", "semeval-sts-senteval"], sts_year),
    **dict.fromkeys(["sts-benchmark", "sts-benchmark-senteval"], sts_benchmark),
    "sick": sick,
    "sts2017": sts2017,
    "stsb-multi-mt": items(
        *("similarity", "stsb-multi-mt"),
        language=lambda path: path.stem.split("-")[1],
        split=lambda path: path.stem.split("-")[2],
    ),
    "simlex-999": items("similarity", "simlex"),
    "multi-simlex": lambda root, row: pairs_of(root, entry("similarity", "multi-simlex"))[1],
    **dict.fromkeys(["ncbi-disease", "bc5cdr"], pubtator),
    "bel-dictionaries": linking_dictionary("medic"),
    "mesh-2015": linking_dictionary("mesh-terms"),
    "ncbi-disease-chen2021": chen2021,
    "qnli": qnli,
    "qqp": qqp,
    "bli-xling-eval": lexicon,
    "mirror-corpus": lambda root, row: (words if "_words_" in row["path"] else lines)(root, row),
    "most-common-words": words,
    **dict.fromkeys(["hpo", "disease-ontology"], ontology),
    "senteval": senteval,
    "mrpc-original": MRPC,
    "paws-x": labelled_pairs(
        lambda path: ["sentence1", "sentence2", "label"] if "hf-form" in str(path) else None,
        **BINARY,
    ),
    "xnli": xnli,
    "ru-paraphraser": labelled_pairs(["text_1", "text_2", "class"], positive=[0, 1], negative=[-1]),
    "snli-senteval": labelled_pairs(
        path=lambda file: [str(file.with_stem(name)) for name in ("s1", "s2", "labels")],
        **NLI_LABELS,
    ),
    "nli-sample": nli_sample,
    "tatoeba-v1": items("bitext-retrieval", "tatoeba", path=lambda path: str(path.with_suffix(""))),
    **dict.fromkeys(["wikipedia-en", "wikipedia-zh"], text("wikiextractor")),
    **{f"text-{one}-wikipedia": text("wikiextractor") for one in ("en", "ar", "zh")},
    **dict.fromkeys(["text-en-craft", "text-ru-ruslit"], text("doc-blocks")),
    **dict.fromkeys(["gutenberg", "text-en-gutenberg"], book),
    "ud-text": lambda root, row: sum(1 for _ in read_paragraphs("conllu", root / row["path"])),
    "common-voice-text": lines,
    **dict.fromkeys(["bitext-tatoeba", "bitext-bible"], translations()),
    "bitext-multi30k": translations("train.en.txt.gz"),
    "bitext-newstest": translations("newstest2018.eng-est.eng.txt"),
    "flores101-jav": translations("devtest.eng.txt"),
    "ntrex-128": ntrex,
    "ordered-novels": novel,
}

# folders of data-cmlm whose texts have classes: test_multilingual_sets.py reads every file of them
CLASSED = {
    *("xnli-15way", "jsick", "sick-nl", "subjectivity-checkthat"),
    *("sentiment-en-uci", "sentiment-hotel", "sentiment-ja-hotel", "sentiment-umsab"),
}


# derived text, a sentence, turn or paragraph a line
PLAIN_TEXT = re.compile(
    "text-((ar|es|ru|tr|zh)-xquad|(he|tr)-ud|en-(coco-captions|medquad|sgd-dialogues)"
    "|he-(heq|svlm)-wikipedia|ru-koziev-sentences|tr-wiki-ner)"
)


# files that are read whatever their size: each is the only one of its form, or of its encoding
LARGE = (
    *("wikipedia-zh/AA/wiki_00", "wikipedia-en/json/wiki_00", "text-ru-leipzig-wikipedia/"),
    *("ud-text/ru_gsd-ud-dev.conllu", "gutenberg/2000-8.txt.gz", "hpo/hp.obo.gz"),
    *("text-he-svlm-wikipedia/", "sts-benchmark/sts-train.csv"),
)


def reader_of(folder):
    """Return the reader of a folder; None for one that is not known."""
    if re.fullmatch(r"text-..-leipzig-\w+", folder):
        return text("numbered-lines")
    return text("lines") if PLAIN_TEXT.fullmatch(folder) else READER_OF.get(folder)


@pytest.mark.parametrize(("root", "files"), [("data", 500), ("data-cmlm", 130)])
@pytest.mark.parametrize("largest", [200_000, pytest.param(10**9, marks=pytest.mark.nightly)])
def test_every_row_of_the_manifest_is_read_paragraphs_its_number_of_rows(
    shared_data, root, files, largest
):
    data = shared_data.with_name(root)
    rows = read_manifest(data).values()
    assert len(rows) > files
    wrong = defaultdict(list)
    for row in rows:
        if NOT_READ.search(row["path"]):
            continue
        folder = row["path"].split("/")[0]
        reader = reader_of(folder)
        is_large = (data / row["path"]).stat().st_size > largest
        if folder in CLASSED or (is_large and not row["path"].startswith(LARGE)):
            continue
        if reader is None:
            wrong[folder].append("no reader")
            continue
        try:
            found = reader(data, row)
        except (UserError, AssertionError) as error:
            wrong[row["path"]].append(str(error)[:300])
            continue
        if found != int(row["rows"]):
            wrong[row["path"]].append(f"{found} rows read, the manifest has {row['rows']}")
    assert dict(wrong) == {}
