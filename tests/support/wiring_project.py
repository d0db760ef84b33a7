"""A small project for the tests of wiring: a folder, its data, and a config that uses every rule.

Its values differ from all defaults, so that a value that is fixed somewhere shows.
"""

import gzip
import random
import shutil
from collections import ChainMap
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from tiny_models import WORDS, make_bert, make_roberta, make_sentences

from workflow_scripts.plan.comparability import frozen

PROJECT = Path(__file__).resolve().parents[2]
LINKED = ("Snakefile", "rules", "envs", "workflow_scripts", "profiles", "bundled_models")


def mrconso(number: int, language: str, source: str, flag: str, name: str) -> str:
    """Return a row of the UMLS Metathesaurus."""
    own = (*"PLPSYA", "", "", "", source, "PT", "X1", name)
    return "|".join([f"C{number}", language, *own, "0", flag, "", ""]) + "\n"


def generated_files() -> dict[str, str]:
    """Return the files that the sample data does not have, by path below the data root."""
    words = WORDS.split()
    sentences = make_sentences(48)
    pick = random.Random(5)
    pairs = [[" ".join(pick.sample(words, 4)) for _ in "ab"] for _ in range(16)]
    scores, others = ([f"{a}\t{b}\t{pick.randint(0, 50) / 10}\n" for a, b in pairs] for _ in "ab")
    classes = [
        f"{n % 2} {'big' if n % 2 else 'small'} {line}\n" for n, line in enumerate(sentences)
    ]
    documents = [" ".join([*pick.sample(words, 9), "."]) + "\n" for _ in range(60)]
    kept_out = documents[::7]
    documents[31] = documents[1]
    for place in range(5, 60, 6):
        documents[place] += "\n"
    inference = [f"{a}\t{b}  x\tentailment\n" * 2 for a, b in pairwise(sentences)]
    # names of several concepts, repeated and composite mentions, and large letters
    links = [f"D{n % 7}||{words[n].title()} {words[-n % 5]}\n" for n in range(16)]
    links += [f"D{6 - n % 7}||{words[n].title()} {words[-n % 5]}\n" for n in range(3)]
    mentions = [f"d||0|1||T||{words[n % 12].title()}||D{n % 7}\n" for n in range(14)]
    mentions += [f"d||0|1||T||{words[n].title()}|{words[n + 1]}||D{n}|D{n + 1}\n" for n in range(3)]
    mentions += mentions[:2]
    fields = [line.rstrip("\n").split("||") for line in mentions]
    phrases = [f"{one[4]}\tname\t{one[3].replace('|', ' ')}\n" for one in fields]
    terms_head = "ID\tTerm\tGeneral SNOMED ID\tSpecific SNOMED ID\n"
    terms_of_posts = [f"{n}\t{one[3]}\t{one[4]}\tD{n % 3}\n" for n, one in enumerate(fields)]
    folder = "made/phrases/AskAPatient.fold-"
    yacle = {
        f"made/lexicon/yacle.{part}.freq.{size}.{pair}.tsv": "".join(
            f"{words[n]} {pair}\t{words[-n - 1]} {size}\n" for n in range(first, 16)
        )
        for pair in ("en-fr", "es-fr", "en-es")
        for part, size, first in (
            ("train", "5k", 0),
            ("train", "1k", 8),
            ("test", "2k", 4),
            ("test", "1k", 6),
        )
    }
    languages, sources, flags = ("ENG", "FRE"), ("MSH", "SNO"), ("N", "O")
    rows = [
        mrconso(n, languages[n % 2], sources[n // 2 % 2], flags[n // 4 % 2], f"{word} {n}")
        for n, word in enumerate(words * 2)
    ]
    terms = [f"[Term]\nid: X:{n}\nname: {word} one\n" for n, word in enumerate(words)]
    german = "".join(f'"{a}","{b}",3.5\n' for a, b in pairwise(sentences))
    return {
        "stsb-multi-mt/stsb-de-test.csv": german,
        "stsb-multi-mt/stsb-ru-dev.csv": german,
        "made/scores.tsv": "".join(scores),
        "made/scores-2.tsv": "".join(others),
        "made/many.txt": "".join(f"{line}\n" for line in make_sentences(210)),
        "made/strings.txt": "".join(f"{line}\n" for line in sentences),
        "made/repeated.txt": "".join(f"{line}  x\n" * 2 for line in sentences[:24]),
        "made/pairs.txt": "".join(f"{a}||{b}\n" for a, b in pairwise(sentences)),
        "made/classes.txt": "".join(classes),
        "made/classes-2.txt": "".join(classes[10:]),
        "made/repeated-2.txt": "".join(f"la {line}\n" * 2 for line in sentences[:24]),
        "made/double.txt": "".join(f"{line[:1]}  {line[2:]}" * 2 for line in classes),
        "made/ends.txt": "".join(f"{'ABC'[n % 3]}:{line}" for n, line in enumerate(classes)),
        "made/latin.txt": "".join(line.replace("e", "é") for line in classes),
        "made/kept-out.txt": "".join(kept_out),
        "made/kept-out-2.txt": "".join(f"{line} x\n" for line in sentences[:24:7]),
        "made/kept-out.tsv": "".join(f"{a[:-1]}\t{b}" for a, b in pairwise(kept_out)),
        "made/kept-out-2.tsv": "".join(f"{a} x\t{b} x\n" for a, b in pairwise(sentences[:24:5])),
        "made/two.tsv": "".join(f"{a}\tla {b}\n" for a, b in pairwise(sentences)),
        "made/columns.tsv": "".join(
            f"The {a} is here. And {b} is.\tA {b} is there. But {a} is.\n"
            for a, b in pairwise(sentences)
        ),
        **{f"made/ids-{size}.txt": "".join(f"{n // size}\n" for n in range(48)) for size in (6, 8)},
        "made/words-2.txt": "".join(f"{word}\n" * 2 + f"{word}  x\n" for word in words),
        "made/words.txt": "".join(f"{word}\n" for word in words[::-1]),
        "made/inference.tsv": "sentence1\tsentence2\tgold_label\n" + "".join(inference),
        "made/text.txt": "".join(documents),
        "made/text-fr.txt": "".join(documents).replace("house", "maisón").replace("A", "É"),
        "made/text-2.txt": "".join(documents[::-1]),
        "made/links/one.concept": "".join(mentions),
        "made/dictionary.txt": "".join(links),
        "made/mentions.txt": "".join(f"{word} two\n" for word in words),
        **yacle,
        "made/simlex.txt": (
            PROJECT / "resources/sample_data/simlex-999/SimLex-999.txt"
        ).read_text(),
        "made/headed.tsv": "left\tright\tscore\n" + "".join(f"a  {line}" for line in scores),
        "made/rows.tsv": "".join(f"d\t{one[3]}\t{one[4]}\t{one[3]}s\n" for one in fields),
        "made/kb.txt": "".join(line.replace("||", "\t").replace("\n", "\t\n") for line in links),
        "made/typos.txt": "disease||diseases\n",
        f"{folder}0.test.txt": "".join(phrases),
        f"{folder}0.train.txt": "".join(phrases[1:]),
        f"{folder}1.test.txt": "".join(phrases[2:]),
        f"{folder}0.test.preprocessed_query.txt": "".join(
            f"{one[4]}||{one[3]}\n" for one in fields
        ),
        "made/terms/test.csv": terms_head + "".join(terms_of_posts),
        "made/terms/dev.csv": terms_head + "".join(terms_of_posts[2:]),
        "made/words.vec": "\n".join(
            ["15 4", *(f"{one} {n} {n * n % 7} 1 {n % 3}" for n, one in enumerate(words[3:]))]
        )
        + "\n",
        "umls/MRCONSO.RRF": "".join(rows),
        # of every third concept
        "umls/MRSTY.RRF": "".join(
            f"{row.partition('|')[0]}|T047|B2|Disease or Syndrome|AT||\n" for row in rows[::3]
        ),
        "made/names.obo": "format-version: 1.2\n\n" + "\n".join(terms),
    }


def make_project(folder: Path, files: Iterable[Mapping[str, str]] = ()) -> None:
    """Make the project: links to the code, the models, and the data root `data`.

    `files` are further texts, by path below the data root.
    """
    folder.mkdir(parents=True)
    for name in LINKED:
        (folder / name).symlink_to(PROJECT / name)
    shutil.copytree(PROJECT / "config", folder / "config")
    published = folder / "config" / "reference"
    for name in ("table01", "table21", "figure04"):
        for copy in (f"first/{name}", f"mirror-bert/{name}-2"):
            shorter_copy(published / f"mirror-bert/{name}.tsv", published / f"{copy}.tsv")
    shutil.copytree(PROJECT / "resources" / "sample_data", folder / "data")
    for name, text in ChainMap(generated_files(), *files).items():
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in sorted((folder / "data").iterdir()):
        if path.is_dir():
            shorter_copy(path, folder / "data" / "shorter" / path.name)
    make_bert(folder / "models" / "tiny")
    make_roberta(folder / "models" / "other")


def shorter(path: str) -> str:
    """Return the path below the data root of a copy without the last two lines of each file."""
    return f"shorter/{path}"


def shorter_copy(path: Path, copy: Path) -> None:
    """Write a file without its last two lines, or a folder of such files."""
    if path.is_dir():
        for file in path.iterdir():
            shorter_copy(file, copy / file.name)
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    raw = path.read_bytes()
    raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    kept = b"".join(raw.splitlines(keepends=True)[:-2])
    copy.write_bytes(gzip.compress(kept) if path.suffix == ".gz" else kept)


TUNED = {
    **{"pooling": "mean_padded", "embed_max_length": 24, "max_length": 20},
    **{"batch_size": 8, "learning_rate": 2.0e-3},
}
RECIPES = {
    "plain": {"method": "none", "pooling": "mean", "embed_max_length": 16},
    "base-mp": {"method": "none", "pooling": "mean", "embed_max_length": 64},
    "mirror": {"method": "mirror", "epochs": 1, "temperature": 0.1, **TUNED},
    # as the paper has it, so that a tuned cell is compared
    "mirror-word": frozen("mirror-bert")["recipes"]["mirror-word"],
    "first": {"method": "none", "pooling": "cls", "embed_max_length": 4},
    "warm": {"method": "mirror", "epochs": 1, "temperature": 0.9, **TUNED, "batch_size": 6},
    "watched": {
        **{"method": "mirror", "epochs": 1, "temperature": 0.1, **TUNED},
        "development": {"dataset": "links", "every": 2},
    },
    "classify": {"method": "classify", "epochs": 1, **TUNED},
}
# as the paper's recipe base-mp: its cells are compared
UNTUNED = {"label": "untuned", "model": "tiny", "recipe": "base-mp"}
NAMES = {"one": {"path": "made/dictionary.txt", "format": "id-name"}}
DICTIONARY = {
    "encoder": {"model": "tiny", "recipe": "plain"},
    **{"names": NAMES, "mentions": "made/mentions.txt", "shards": 2, "dtype": "float16", "k": 3},
}
SEARCH = {
    **{"model": "tiny", "recipe": "mirror", "corpus": "strings"},
    "dataset": "pairs",
}
TUNING_GRID = {
    **{"axes": {"temperature": [0.1, 0.3], "epochs": [1, 2]}, "cells_per_job": 2},
    "searches": {
        "small": SEARCH,
        "other": {**SEARCH, "dataset": "links", "axes": {"epochs": [1]}},
    },
    "shown": ["small"],
}


def small_config() -> dict[str, Any]:
    """Return the config; change it at will."""
    row = {"label": "tuned", "model": "tiny", "recipe": "mirror", "corpus": "strings"}
    sets = {"similarity": "pairs", "links": "links", "lexicon": "words", "classes": "classes"}
    tables = {
        name: {
            "title": name,
            "columns": [{"id": "one", "label": "one", "dataset": dataset}],
            "rows": [{"id": "untuned", **UNTUNED}, {"id": "tuned", **row, "against": "untuned"}],
        }
        for name, dataset in sets.items()
    }
    tables["similarity"]["rows"].append(
        {"id": "static", "label": "static", "model": "vectors", "recipe": "plain"}
    )
    tables["similarity"]["rows"] += [
        {"id": name, "label": name, "model": name, "recipe": "plain"}
        for name in ("second", "missing", "nowhere")
    ]
    tables["similarity"] |= {"paper": "mirror-bert", "reference": "table01"}
    tables["similarity"]["columns"][0]["id"] = "en"
    tables["similarity"]["rows"][0]["id"] = tables["similarity"]["rows"][1]["against"] = "bert-mp"
    paperlike = {"id": "bert-mirror", "recipe": "mirror-word", "corpus": "paperlike"}
    tables["similarity"]["rows"][1] |= paperlike
    tables["models"] = {"title": "Models", "kind": "models"}
    tables["grid"] = {
        "title": "Grid",
        "kind": "grid",
        "paper": "mirror-bert",
        "reference": "table21",
    }
    tables["links"]["rows"][1]["recipe"] = "watched"
    tables["classes"]["rows"][1] |= {"recipe": "classify", "corpus": "labelled"}
    language = {"language": "en"}
    linking = {"dictionary": "made/dictionary.txt", "split": "all"}
    return {
        "seeds": [33, 44],
        "data": {
            "root": "data",
            "label": "made up",
            "missing": "error",
            "paper": ["first", "mirror-bert"],
        },
        "papers": {name: {"title": name} for name in ("first", "mirror-bert", "cmlm")},
        "models": {
            "tiny": {"path": "models/tiny", "paper": ["mirror-bert"]},
            "other": {"path": "models/other"},
            "vectors": {"vectors": "made/words.vec"},
            "second": {"same_as": "tiny"},
            "missing": {"absent": "nobody has it"},
        },
        "absent_models": [{"models": ["nowhere"], "reason": "it was lost"}],
        "recipes": {name: dict(block) for name, block in RECIPES.items()},
        "corpora": {
            "strings": {"kind": "sentences", "path": "made/strings.txt", "size": 24},
            "paperlike": {
                **{"kind": "names", "path": "made/many.txt", "size": 200},
                "paper": ["mirror-bert"],
            },
            "strings-2": {"kind": "sentences", "path": "made/strings.txt", "size": 32},
            "repeated": {
                **{"kind": "sentences", "path": "made/repeated.txt", "size": "all"},
                "deduplicate": False,
            },
            "pairs": {"kind": "sentences", "path": "made/pairs.txt", "size": 24},
            "pairs-2": {"kind": "sentences", "path": "made/pairs.txt", "size": 32},
            "text": {
                **{"kind": "text", "size": "all", "minimum_letters": 3},
                "texts": [{"reader": "blank-line-documents", "files": ["made/text.txt"]}],
            },
            "text-2": {
                **{"kind": "text", "size": "all", "minimum_letters": 3},
                "texts": [{"reader": "blank-line-documents", "files": ["made/text-2.txt"]}],
            },
            "inference": {
                **{"kind": "nli", "path": "nli/{language}.tsv", "languages": ["en", "es"]},
                "size": 24,
            },
            "labelled": {"kind": "labelled", "size": 24, "texts": [{"path": "made/classes.txt"}]},
        },
        "datasets": {
            "pairs": {
                **{"task": "similarity", "format": "scored-pairs", "split": "all", **language},
                "path": "made/scores.tsv",
            },
            "pairs-2": {
                **{"task": "similarity", "format": "scored-pairs", "split": "all", **language},
                "path": "made/scores-2.tsv",
            },
            # whose files the registry knows
            "registered": {
                **{"task": "similarity", "format": "sts-benchmark", "path": "sts-benchmark"},
                **language,
            },
            "pairs-3": {
                **{"task": "similarity", "format": "scored-pairs", "split": "all", **language},
                "path": shorter("made/scores.tsv"),
            },
            "links": {
                **{"task": "entity-linking", "format": "biosyn", "path": "made/links"},
                **linking,
                **language,
            },
            "words": {
                **{"task": "lexicon", "format": "xling-eval", "source": "en", "target": "fr"},
                **{"path": "made/lexicon", "vocabulary_size": 0},
            },
            "questions": {
                **{"task": "pair-classification", "format": "qnli", "split": "dev", **language},
                "path": "qnli/dev.tsv",
            },
            "questions-2": {
                **{"task": "pair-classification", "format": "qnli", "split": "dev", **language},
                "path": shorter("qnli/dev.tsv"),
            },
            "pool": {
                **{"task": "language-bias", "format": "sentence-pool", "split": "dev"},
                **{"path": "paws-x/dev-{language}.tsv", "languages": ["en", "es", "fr"]},
            },
            "pool-2": {
                **{"task": "language-bias", "format": "sentence-pool", "split": "dev"},
                **{
                    "path": "paws-x/dev-{language}.tsv",
                    "languages": ["en", "fr", "es"],
                    "column": 2,
                },
            },
            "translated": {
                **{"task": "bitext-retrieval", "format": "tatoeba", "language": "es-en"},
                "path": "tatoeba-v1/tatoeba.spa-eng",
            },
            "translated-2": {
                **{"task": "bitext-retrieval", "format": "tatoeba", "language": "fr-en"},
                "path": "tatoeba-v1/tatoeba.fra-eng",
            },
            "classes": {
                **{"task": "classification", "format": "labelled-texts", **language},
                **{"train": {"path": "made/classes.txt"}, "test": {"path": "made/classes-2.txt"}},
            },
        },
        "retrieval": {
            "linking": {"similarity": "cosine", "k": 6},
            "lexicon": {
                **{"mapping": "supervised", "regularisation": 0.5, "similarity": "csls"},
                **{"neighbours": 3, "k": 7},
            },
        },
        "classification": {"protocol": "prototyping"},
        "device": "cpu",
        "threads": {"tuning": 1, "embedding": 1, "retrieval": 1},
        "tables": tables,
        "dictionaries": {"ontology": DICTIONARY},
        "tuning_grid": TUNING_GRID,
    }
