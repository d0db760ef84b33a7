"""Stand-ins for the data sets of the registry: files in their formats, packed as they are packed.

A file is taken from a data root where one is given and has it; else it is made here, or is that of
the embedded sampler, or the sampler's of the same kind in another language or fold. What can
be downloaded goes into a mirror, what is put there by hand below the data root, and the registry
is written anew with the sizes and hashes of these bytes.
"""

import gzip
import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

import yaml

from tools.fasttext_files import model_bytes
from workflow_scripts.datasets.frequent_words import most_frequent_words
from workflow_scripts.downloads.registry import RegisteredArchive, read_registry
from workflow_scripts.downloads.unpacking import archive_kind
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_bytes, sha256_of, stream_lines

SAMPLER = Path(__file__).resolve().parents[1] / "resources" / "sampler"


class Sizes(NamedTuple):
    """Rows of made files, and the shape of word vectors."""

    rows: int  # of lists of words and sentences
    names: int  # of the UMLS
    pairs: int  # of SNLI
    dimension: int
    words: int
    buckets: int


# the second: the UMLS has 16 million rows and fastText 2 million words and buckets, which would
# take 60 GB; here they are large enough for what grows with them to show
SIZES = {
    "small": Sizes(1000, 3000, 1000, 20, 2000, 500),
    "full": Sizes(10_000, 4_000_000, 550_000, 300, 200_000, 200_000),
}

# the sampler's file that stands in for others of its kind
ALIKE = {
    "askapatient/AskAPatient.fold-?.*.txt": "askapatient/AskAPatient.fold-0.{1}.txt",
    "tatoeba-v1/tatoeba.*.eng": "tatoeba-v1/tatoeba.spa-eng.eng",
    "tatoeba-v1/*": "tatoeba-v1/tatoeba.spa-eng.spa",
    "paws-x/dev-*": "paws-x/dev-en.tsv",
    "xnli-15way/sentences.*": "xnli-15way/sentences.en.txt.gz",
    "subjectivity-checkthat/train_*": "subjectivity-checkthat/train_en.tsv",
    "subjectivity-checkthat/dev_test_*": "subjectivity-checkthat/dev_test_en.tsv",
    "subjectivity-checkthat/dev_*": "subjectivity-checkthat/dev_en.tsv",
    "sentiment-umsab/*-train.tsv": "sentiment-umsab/english-train.tsv",
    "sentiment-umsab/*-val.tsv": "sentiment-umsab/english-val.tsv",
    "sentiment-umsab/*-test.tsv": "sentiment-umsab/english-test.tsv",
    "cls-acl10-unprocessed/*/train.review": "cls-acl10-unprocessed/en/books/train.review",
    "cls-acl10-unprocessed/*/test.review": "cls-acl10-unprocessed/en/books/test.review",
    "qnli/test.tsv": "qnli/dev.tsv",
    "sts2017/*/STS.input.*": "sts2017/STS2017.eval.v1.1/STS.input.track3.es-es.txt",
    "sts2017/*/STS.gs.*": "sts2017/STS2017.gs/STS.gs.track3.es-es.txt",
    "bli-xling-eval/*": "bli-xling-eval/en-fr/yacle.train.freq.1k.en-fr.tsv",
}
_LANGUAGES = {"english": "en", "spanish": "es", "french": "fr", "polish": "pl", "russian": "ru"}
_LANGUAGES |= {"arabic": "ar", "chinese": "zh", "italian": "it", "turkish": "tr", "hebrew": "he"}
_LANGUAGES |= {"finnish": "fi", "estonian": "et"}

XEVAL_LANGUAGES = [
    "ar",
    "bg",
    "de",
    "el",
    "en",
    "es",
    "fr",
    "hi",
    "ru",
    "sw",
    "th",
    "tr",
    "ur",
    "vi",
]
XEVAL_LANGUAGES += ["zh"]

Lines = Iterable[str]


def _source_rows(path: str) -> list[list[str]]:
    return [line.split("\t") for line in stream_lines(SAMPLER / path)]


def _cycle(strings: list[str], number: int) -> Iterator[str]:
    """Yield `number` different strings: those given, then the same with the number of the round."""
    for place in range(number):
        turn, index = divmod(place, len(strings))
        yield strings[index] + (f" {turn}" if turn else "")


def _words(language: str, sizes: Sizes) -> Lines:
    if language == "et":  # of which the package has no list
        return islice(stream_lines(SAMPLER / "most-common-words" / "estonian.txt"), sizes.rows)
    return most_frequent_words(language, sizes.rows)


def _sentences(path: str, sizes: Sizes) -> Lines:
    column = {"arabic": 1, "russian": 2}.get(Path(path).name.split("_")[0])
    if column is None:
        rows = [row[5] for row in _source_rows("sts-benchmark/sts-train.csv")]
    else:
        pair = {1: "ar-en", 2: "en-ru"}[column]
        rows = [row[column] for row in _source_rows(f"wikimatrix/WikiMatrix.{pair}.tsv")]
    return _cycle(rows, sizes.rows)


def _mrconso(_: str, sizes: Sizes) -> Lines:
    """Yield rows of 18 columns, every tenth in another language or suppressed."""
    names = list(stream_lines(SAMPLER / "names" / "biomedical_names.txt"))
    for place, name in enumerate(_cycle(names, sizes.names)):
        language, flag = (
            ("SPA", "N") if place % 20 == 7 else ("ENG", "O" if place % 20 == 3 else "N")
        )
        number = f"{place:08d}"
        row = [f"C{place // 3:07d}", language, "P", f"L{number}", "PF", f"S{number}", "Y"]
        row += [
            f"A{number}",
            "",
            "",
            f"D{number}",
            "MSH",
            "PT",
            f"D{number}",
            name,
            "0",
            flag,
            "256",
        ]
        yield "|".join(row) + "|"


def _ctd(_: str, sizes: Sizes) -> Lines:
    """Yield the names of MeSH as chemicals of CTD, each with a synonym."""
    yield "# ChemicalName\tChemicalID\tCasRN\tDefinition\tParentIDs\tTreeNumbers\tParent\tSynonyms"
    for identity, name in _source_rows("mesh-2015/terms.tsv")[1:]:
        yield "\t".join([name, f"MESH:{identity}", "", "", "", "", "", f"{name} salt"])


def _snli(_: str, sizes: Sizes) -> Lines:
    rows = _source_rows("nli/en.tsv")[1:]
    for place in range(sizes.pairs):
        premise, hypothesis, label = rows[place % len(rows)]
        row = {"gold_label": label, "sentence1": f"{premise} {place}", "sentence2": hypothesis}
        yield json.dumps(row | {"pairID": f"{place}", "annotator_labels": [label]})


def _sick(part: str) -> list[list[str]]:
    return _source_rows(f"sick/semeval2014/SICK_{part}.txt")


def _jsick(path: str, _: Sizes) -> Lines:
    names = ["pair_ID", "sentence_A", "sentence_B", "entailment_label", "relatedness_score"]
    yield "\t".join([names[0], *(f"{one}_{tag}" for tag in ("En", "Ja") for one in names[1:])])
    # SemEval's training part of the sampler is too small to train on
    part = _sick("test_annotated")[1:]
    for number, first, second, score, label in part:
        same = [first, second, label.lower(), score]
        yield "\t".join([number, *same, *same])


def _sick_nl(_: str, sizes: Sizes) -> Lines:
    yield "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set"
    for part in ("TRAIN", "TRIAL", "TEST"):
        for number, first, second, score, label in _sick("test_annotated")[1:]:
            yield "\t".join([number, first, second, label, score, part])


def _hotels(path: str, _: Sizes) -> Lines:
    labels = ["strong_negative", "negative", "mixed", "positive", "strong_positive"]
    texts = [row[1] for row in _source_rows("sentiment-umsab/english-train.tsv")]
    return (f"{labels[place % 5]}\t{text}" for place, text in enumerate(texts))


def _hotels_ja(_: str, sizes: Sizes) -> Lines:
    parts = ["train", "train", "dev", "test"]
    texts = [row[1] for row in _source_rows("sentiment-umsab/english-train.tsv")]
    for place, text in enumerate(texts):
        yield f"pn{place}\t{place % 3 - 1}\t{text}\t{{}}\t{parts[place // 3 % 4]}"


def _uci(_: str, sizes: Sizes) -> Lines:
    texts = [row[1] for row in _source_rows("sentiment-umsab/english-train.tsv")]
    return (f"{text}\t{place % 2}" for place, text in enumerate(texts))


def _qqp(_: str, sizes: Sizes) -> Lines:
    header, *rows = _source_rows("qqp/quora_duplicate_questions.tsv")
    yield "\t".join(header)
    for place in range(sizes.rows):
        _, _, _, first, second, label = rows[place % len(rows)]
        numbers = [f"{place}", f"{2 * place}", f"{2 * place + 1}"]
        yield "\t".join([*numbers, f"{first} {place}", second, label])


def _unread(path: str, _: Sizes) -> Lines:
    """Return the text of what comes along and no job reads."""
    return ["A stand-in."]


MADE: dict[str, Callable[[str, Sizes], Lines]] = {
    "most-common-words/*": lambda path, sizes: _words(_LANGUAGES[Path(path).stem], sizes),
    "mirror-corpus/??_words_*": lambda path, sizes: _words(Path(path).name[:2], sizes),
    "mirror-corpus/*": _sentences,
    "umls/MRCONSO.RRF": _mrconso,
    "bel-dictionaries/CTD_chemicals.tsv.gz": _ctd,
    "snli/*": _snli,
    "qqp/quora_duplicate_questions.tsv": _qqp,
    "jsick/*": _jsick,
    "sick-nl/*": _sick_nl,
    "sentiment-hotel/*": _hotels,
    "sentiment-ja-hotel/*": _hotels_ja,
    "sentiment-en-uci/*": _uci,
    **dict.fromkeys(["*[Rr][Ee][Aa][Dd][Mm][Ee]*", "*LICENSE*"], _unread),
    **dict.fromkeys(["sick/SICK.txt.gz", "*/STS.gs.ALL.txt"], _unread),
}


class Sources(NamedTuple):
    """Where files come from: a data root besides the sampler, and the sizes of what is made."""

    data: Path | None
    sizes: Sizes

    def write(self, path: str, target: Path) -> None:
        """Write the file that is at `path` below a data root, gzipped where its name says so."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.data is not None and (self.data / path).is_file():
            shutil.copyfile(self.data / path, target)
        elif path.startswith("fasttext/"):
            target.write_bytes(self._vectors(path))
        elif make := next((made for key, made in MADE.items() if fnmatchcase(path, key)), None):
            with _opened(target, path.endswith(".gz")) as stream:
                stream.writelines(f"{line}\n".encode() for line in make(path, self.sizes))
        elif (found := self._of_sampler(path)) is not None:
            shutil.copyfile(found, target)
        else:
            raise UserError(f"{path}: nothing stands in for it; add it to MADE or ALIKE")

    def _of_sampler(self, path: str) -> Path | None:
        if (SAMPLER / path).is_file():
            return SAMPLER / path
        for pattern, other in ALIKE.items():
            if fnmatchcase(path, pattern):
                kind = PurePosixPath(path).name.split(".")[2] if "{1}" in other else ""
                return SAMPLER / other.replace("{1}", kind)
        return None

    def _vectors(self, path: str) -> bytes:
        sizes, language = self.sizes, Path(path).name.split(".")[1]
        words = ["</s>", *_words(language, sizes._replace(rows=sizes.words))]
        shape = {"dimension": sizes.dimension, "buckets": sizes.buckets}
        return model_bytes(words, **shape, shortest=5, longest=5)


def _opened(target: Path, gzipped: bool) -> IO[bytes]:
    """Open a file to write; gzipped it has no date, so that the same rows are the same bytes."""
    return gzip.GzipFile(target, "wb", 1, mtime=0) if gzipped else open(target, "wb")


def _pack(archive: RegisteredArchive, folder: Path, target: Path) -> None:
    """Pack the files of a folder under the members' names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    kind = archive_kind(archive.name)
    files = {member.member: folder / member.path for member in archive.members}
    if kind == "zip":
        with zipfile.ZipFile(target, "w") as packed:
            for name, file in files.items():
                # without a date
                packed.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    elif kind == "gz":
        (file,) = files.values()
        with open(file, "rb") as plain, _opened(target, gzipped=True) as packed:
            shutil.copyfileobj(plain, packed)
    else:
        raise UserError(f"{archive.name}: no stand-in is packed as {kind}; add it to _pack")


def _bytes_at_url(file: Path, gzipped: bool) -> dict[str, Any]:
    """Return hash and size of a file as its source sends it: plain where we keep it gzipped."""
    if not gzipped:
        return {"sha256": sha256_of(file), "size": file.stat().st_size}
    content = read_bytes(file)
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}


def make_data(
    registry: Path, names: Iterable[str], sources: Sources, mirror: Path, root: Path
) -> None:
    """Make the sets `names` of a registry: open ones in the mirror, others below the data root.

    The registry's file is written anew: these entries have the sizes and hashes of the stand-ins.
    """
    entries, written = read_registry(registry), yaml.safe_load(registry.read_text(encoding="utf-8"))
    for name in names:
        entry, block = entries[name], written[name]
        block["title"] = f"Stand-in for: {entry.title}"
        for file, told in zip(entry.files, block.get("files", []), strict=True):
            target = (root if entry.gated else mirror) / file.path
            sources.write(file.path, target)
            told.update(_bytes_at_url(target, file.gzipped))
        for archive, told in zip(entry.archives, block.get("archives", []), strict=True):
            folder = mirror / "unpacked"
            for member, of_member in zip(archive.members, told["members"], strict=True):
                sources.write(member.path, folder / member.path)
                for key in ("sha256", "size", "verified"):
                    of_member.pop(key, None)
            packed = mirror / "archives" / archive.name
            _pack(archive, folder, packed)
            shutil.rmtree(folder)
            told.update(_bytes_at_url(packed, gzipped=False))
    registry.write_text(yaml.safe_dump(written, allow_unicode=True, sort_keys=False), "utf-8")


def write_never_published(root: Path) -> None:
    """Put below a data root what no registry has: XEVAL, and running text, inference and vectors.

    Each language of XEVAL is SentEval's files of the sampler.
    """
    for name in ("running-text", "nli", "static-vectors"):
        shutil.copytree(SAMPLER / name, root / name, dirs_exist_ok=True)
    for language in XEVAL_LANGUAGES:
        folder = root / "xeval" / language
        shutil.copytree(SAMPLER / "senteval", folder, dirs_exist_ok=True)
        shutil.copytree(SAMPLER / "sick" / "semeval2014", folder / "SICK", dirs_exist_ok=True)
        packed = folder / "SST" / "binary" / "sentiment-train.gz"
        packed.with_suffix("").write_bytes(read_bytes(packed))
        packed.unlink()
