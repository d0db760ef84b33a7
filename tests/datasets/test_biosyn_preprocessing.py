"""BioSyn's preprocessing: against its rules written plainly, what upstream made, and by hand.

Upstream's own output is here as digests: of what its scripts and Ab3P's program make of the files.
"""

import hashlib
import re
from collections import Counter, defaultdict

import pytest
import yaml
from dataset_reading import cases, entry, given, read_dataset

from workflow_scripts.datasets.abbreviations import find_abbreviations
from workflow_scripts.files import read_lines, read_text

# --- the rules, written plainly -----------------------------------------------------------------

PUNCTUATION = r"[\s!-/:-@\[-`{}~]+"  # of ASCII, all but the bar, which joins parts
WORD = "[a-zA-Z-]+"


def parts_of(mention, number):
    of = rf"({WORD}) of (?:both )?(?:the )?((?:{WORD} )+)(?:and|or) (?:the )?([a-zA-Z -]+)"
    if found := re.match(of, mention):
        return [f"{found[1]} of {one.strip()}" for one in found.groups()[1:]]
    for last in (f"{WORD} and {WORD}", f"(?:the )?{WORD}"):
        if found := re.match(rf"((?:{WORD},? )+)(?:and|or|and/or) ({last}) (.*)", mention):
            heads = [*found[1].strip().split(","), found[2]]
            return [f"{head.strip()} {found[3]}" for head in heads if head]
    if (found := re.fullmatch(r"((?:.* )?)(\S*)/(.*)", mention)) and "and/or" not in mention:
        return [found[1] + found[2], found[1] + found[3]]
    return mention.split() if len(mention.split()) == number else [mention]


def written_out(text, forms):
    words = ["/".join(forms.get(one, one) for one in word.split("/")) for word in text.split()]
    bare = [word.replace(",", "") if word.endswith(",") else word for word in words]
    commas = ["," * word.endswith(",") for word in words]
    return " ".join(forms.get(one, one) + comma for one, comma in zip(bare, commas, strict=True))


def mentions_of(path, kind, typos, known):
    """Yield the parts, joined by bars, and the ids of each mention that is left."""
    documents = {}
    for block in read_text(path).strip().split("\n\n"):
        documents.setdefault(block.strip().split("|")[0], block.strip().split("\n"))
    for *texts, rows in ((*lines[:2], lines[2:]) for lines in documents.values()):
        forms = {}
        for text in texts:
            forms |= find_abbreviations(text.split("|")[2])
        for row in (row.strip().split("\t") for row in rows):
            if len(row) == 4 or kind not in (None, row[4]):
                continue
            joined = len(row) == 7 and row[6].count("|") == row[5].count("|")
            text, ids = row[6] if joined else row[3], re.split(r"[|+]", row[5])
            while (longer := written_out(text, forms)) != text:
                text = longer
            if "|" not in text:
                ids = [one for one in ids if "OMIM" not in one] or ids
                parts = parts_of(text, len(ids)) if len(ids) > 1 else []
                text = "|".join(parts) if len(parts) == len(ids) else text
            text = " ".join(typos.get(word, word) for word in text.lower().split())
            ids = {re.sub("MESH:|OMIM:", "", one).strip() for one in ids}
            if ids <= known:
                text = re.sub(PUNCTUATION, " ", text)
                yield re.sub(r" ?\| ?", "|", text).strip(), "|".join(sorted(ids))


NCBI = [f"ncbi-disease/NCBI{one}set_corpus.txt" for one in ("train", "develop", "test")]
CDR = [f"bc5cdr/CDR_{one}Set.PubTator.txt" for one in ("Training", "Development", "Test")]


def digest(rows):
    lines = sorted("\t".join(row) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "files", "upstream"),
    [
        ("ncbi-disease", NCBI[:2], ("1b323561f17f", "c114d48ef985")),
        ("ncbi-disease", NCBI, ("99ef26096f1b", "981edb6d5eef")),
        ("bc5cdr-disease", CDR[:2], ("dc6ed0906923", "4edf047e6084")),
        ("bc5cdr-disease", CDR, ("fefbcde388ca", "e3150791d600")),
    ],
)
def test_mentions_and_names_are_of_rules_and_upstream(shared_data, project, name, files, upstream):
    block = yaml.safe_load(read_text(project / "config/datasets.yaml"))["datasets"][name]
    *training, path = files
    found = read_dataset(shared_data, block | {"path": path, "training_mentions": training})
    typos = read_lines(shared_data / block["typos"]) if "typos" in block else []
    rest = (block.get("mention_type"), dict(line.split("||") for line in typos))
    names = defaultdict(set)
    for line in read_lines(shared_data / block["dictionary"]):
        ids, _, texts = line.partition("||")
        for text in texts.lower().split("|"):
            names[re.sub(PUNCTUATION, " ", text).strip()] |= set(ids.split("|"))
    known = frozenset().union(*names.values())
    for one in training:
        for text, ids in mentions_of(shared_data / one, *rest, known):
            names[text.replace("|", " ")] |= set(ids.split("|"))
    gold = ("|".join(sorted(ids)) for ids, *_ in found.gold)
    mentions = list(zip(map("|".join, found.mentions), gold, strict=True))
    assert Counter(mentions) == Counter(mentions_of(shared_data / path, *rest, known))
    assert dict(zip(found.names, map(set, found.name_concepts), strict=True)) == names
    joined = (("|".join(sorted(ids)), text) for text, ids in names.items())
    assert (digest(mentions), digest(joined)) == upstream


# --- by hand ------------------------------------------------------------------------------------


SET = entry("entity-linking", "pubtator", path="c.txt", dictionary="d.txt", typos="t.txt")
SET |= {"dictionary_format": "medic", "preprocessing": "biosyn", "training_mentions": ["m.txt"]}
SET["shared_names"] = "merged"
DOCUMENT = "1|t|Breast cancer (BC) | not read (NR)\n1|a|None.\n"
# the joint of two parts hides a word from the list of typos
ROWS = {
    "BC/Flu-like": ("D1", ["breast cancer flu like"], ["D1"]),
    "NR, tumours": ("D1", ["nr tumors"], ["D1"]),
    "BC or colon tumours": ("D1|D2", ["breast cancer tumours", "colon tumors"], ["D1", "D2"]),
    "cancer of the colon and skin": ("D2+D1", ["cancer of colon", "cancer of skin"], ["D2", "D1"]),
    "red/blue eye": ("D1|D2", ["red", "blue eye"], ["D1", "D2"]),
    "a, b and c flu": ("D1|OMIM:3", ["a b and c flu"], ["D1"]),
    "unknown": ("D1|D9", None, None),
    "in part": ("D1|-1", None, None),
}
LINES = "".join(f"1\t0\t1\t{mention}\tX\t{ids}\n" for mention, (ids, *_) in ROWS.items())
KEPT = [(parts, [ids] * len(parts)) for _, parts, ids in ROWS.values() if parts]
TRAINING = "9|t|Q.\n9\t0\t1\tLung-flu\tX\tD1|D2\n9\t0\t1\tOther\tX\tD1|D9\n"
PREPARED = {"d.txt": "D1||Cold, severe\nD2|3||COLD (SEVERE)|Flu\n", "t.txt": "tumours||tumors\n"}
PREPARED |= {"c.txt": (DOCUMENT + LINES + "\n") * 2, "m.txt": TRAINING}

test_prepared_mentions_and_names = cases(
    given("biosyn", SET, PREPARED)(
        names=["cold severe", "flu", "lung flu"],
        name_concepts=[["D1", "D2", "3"], ["D2", "3"], ["D1", "D2"]],
        mentions=[parts for parts, _ in KEPT],
        gold=[gold for _, gold in KEPT],
        dropped={"unknown_concept": 1, "no_concept": 1},
    ),
    ("raw", {**SET, "preprocessing": "none", "typos": "none.txt"}, PREPARED, {"dropped": {}}),
    ("typos", SET, {**PREPARED, "t.txt": "a\n"}, "t.txt:1: expected wrong||right, found 'a'"),
)
