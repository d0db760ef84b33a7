"""Synthetic files for the data sets of the registry, in their formats and packed as they are.

A file is taken from a data root where one is given and has it; else it is made here, or is that of
the bundled sample data, or the sample data's of the same kind in another language or fold. What can
be downloaded goes into a mirror, what is put there by hand below the data root, and the registry
is written again with the sizes and hashes of these bytes.
"""

import gzip
import hashlib
import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO, Any

import yaml

from tests.support.fasttext_files import model_bytes
from tools.synthetic_rows import MADE, SAMPLE_DATA, Material, words_of
from workflow_scripts.downloads.registry import RegisteredArchive, read_registry
from workflow_scripts.downloads.unpacking import archive_ending
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_bytes, sha256_of, write_text

# the sample data's file that stands in for others of its kind
ALIKE = {
    "askapatient/AskAPatient.fold-?.*.txt": "askapatient/AskAPatient.fold-0.{part}.txt",
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


_MADE = "Synthetic file for: "


def write_synthetic_file(material: Material, path: str, target: Path) -> None:
    """Write the file that is at `path` below a data root, gzipped where its name says so."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if material.data is not None and (material.data / path).is_file():
        shutil.copyfile(material.data / path, target)
    elif path.startswith("fasttext/"):
        target.write_bytes(_vectors(path, material))
    elif make := next((made for key, made in MADE.items() if fnmatchcase(path, key)), None):
        with _opened(target, path.endswith(".gz")) as stream:
            stream.writelines(f"{line}\n".encode() for line in make(path, material))
    elif (found := material.file(path) or _alike(path)) is not None:
        shutil.copyfile(found, target)
    else:
        raise UserError(path, "nothing stands in for it", "add it to MADE or ALIKE")


def _alike(path: str) -> Path | None:
    for pattern, other in ALIKE.items():
        if fnmatchcase(path, pattern):
            part = PurePosixPath(path).name.split(".")[2] if "{part}" in other else ""
            return SAMPLE_DATA / other.format(part=part)
    return None


def _vectors(path: str, material: Material) -> bytes:
    """Return fastText's bytes of the most frequent words of the language in the file's name."""
    sizes, language = material.sizes, Path(path).name.split(".")[1]
    words = ["</s>", *words_of(language, sizes.words)]
    shape = {"dimension": sizes.dimension, "buckets": sizes.buckets}
    return model_bytes(words, **shape, shortest=5, longest=5)


def _opened(target: Path, gzipped: bool) -> IO[bytes]:
    """Open a file to write; gzipped it has no date, so that the same rows are the same bytes."""
    return gzip.GzipFile(target, "wb", 1, mtime=0) if gzipped else open(target, "wb")


def _pack(archive: RegisteredArchive, folder: Path, target: Path) -> None:
    """Pack the files of a folder under the members' names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    ending = archive_ending(archive.name)
    files = {member.member: folder / member.path for member in archive.members}
    if ending == ".zip":
        with zipfile.ZipFile(target, "w") as packed:
            for name, file in files.items():
                # without a date
                packed.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    elif ending == ".gz":
        (file,) = files.values()
        with open(file, "rb") as plain, _opened(target, gzipped=True) as packed:
            shutil.copyfileobj(plain, packed)
    elif ending == ".tar.gz":
        with _opened(target, gzipped=True) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
            for name, file in files.items():
                # without a date and an owner
                info = tarfile.TarInfo(name)
                info.size = file.stat().st_size
                with open(file, "rb") as plain:
                    tar.addfile(info, plain)
    else:
        raise UserError(archive.name, f"no synthetic file is packed as {ending}", "add it to _pack")


def _bytes_at_url(file: Path, gzipped: bool) -> dict[str, Any]:
    """Return hash and size of a file as its source sends it: plain where we keep it gzipped."""
    if not gzipped:
        return {"sha256": sha256_of(file), "size": file.stat().st_size}
    content = read_bytes(file)
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}


def make_data(
    registry: Path, names: Iterable[str], material: Material, mirror: Path, root: Path
) -> None:
    """Make the sets `names` of a registry: open ones in the mirror, others below the data root.

    The registry's file is written again: these entries have the sizes and hashes of the synthetic
    files, and a title that says so. Entries with such a title are passed over.
    """
    entries, written = read_registry(registry), yaml.safe_load(registry.read_text(encoding="utf-8"))
    for name in names:
        entry, block = entries[name], written[name]
        if entry.title.startswith(_MADE):
            continue
        block["title"] = f"{_MADE}{entry.title}"
        for file, told in zip(entry.files, block.get("files", []), strict=True):
            target = (root if entry.gated else mirror) / file.path
            write_synthetic_file(material, file.path, target)
            told.update(_bytes_at_url(target, file.gzipped))
        for archive, told in zip(entry.archives, block.get("archives", []), strict=True):
            folder = mirror / "unpacked"
            for member, of_member in zip(archive.members, told["members"], strict=True):
                write_synthetic_file(material, member.path, folder / member.path)
                for key in ("sha256", "size", "verified"):
                    of_member.pop(key, None)
            packed = mirror / "archives" / archive.name
            _pack(archive, folder, packed)
            shutil.rmtree(folder)
            told.update(_bytes_at_url(packed, gzipped=False))
    write_text(registry, yaml.safe_dump(written, allow_unicode=True, sort_keys=False))


_XEVAL = "ar bg de el en es fr hi ru sw th tr ur vi zh"


def write_never_published(root: Path) -> None:
    """Put below a data root what no registry has: XEVAL, and running text, inference and vectors.

    Each language of XEVAL is SentEval's files of the sample data, unpacked and in UTF-8.
    """
    for name in ("running-text", "nli", "static-vectors"):
        shutil.copytree(SAMPLE_DATA / name, root / name, dirs_exist_ok=True)
    for language in _XEVAL.split():
        folder = root / "xeval" / language
        shutil.copytree(SAMPLE_DATA / "senteval", folder, dirs_exist_ok=True)
        shutil.copytree(SAMPLE_DATA / "sick" / "semeval2014", folder / "SICK", dirs_exist_ok=True)
        packed = folder / "SST" / "binary" / "sentiment-train.gz"
        packed.with_suffix("").write_bytes(read_bytes(packed))
        packed.unlink()
        questions = folder / "TREC" / "train_5500.label"
        questions.write_text(questions.read_text(encoding="latin-1"), encoding="utf-8")
