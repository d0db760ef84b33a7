"""Command: an encoder from your own running text, by conditional masked language modelling."""

import sys
from collections import Counter
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workflow_scripts.command_main import run_command
from workflow_scripts.corpora.kinds import text
from workflow_scripts.corpora.kinds.bitext import PairFiles
from workflow_scripts.corpora.pair_lines import pair_lines
from workflow_scripts.corpora.sample_corpus import write_documents
from workflow_scripts.corpora.text_readers import READERS
from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_number, passing_directory, stream_lines, write_text
from workflow_scripts.imports import MachineOptions
from workflow_scripts.option_paths import check_files
from workflow_scripts.path_functions import command
from workflow_scripts.string_columns import require_lines
from workflow_scripts.tune import (
    DevelopmentSetOptions,
    TuningOptions,
    make_encoders,
    plan_encoders,
)
from workflow_scripts.tuning.running_text import require_boundaries

if TYPE_CHECKING:
    Reader = str
else:
    Reader = Literal[(*READERS,)]
EXAMPLE = """
COMMAND --model resources/models/bert-en-mini \\
    --text resources/sample_data/running-text/en.txt --output my-cmlm-encoder
"""
# the format of plain text that its blank lines divide into documents
DEFAULT_READER = "blank-line-documents"
# plain text: of a folder, the files that end so
PLAIN = (DEFAULT_READER, "document", "wrapped-document", "lines")
_SCORED_EVERY = 100
# the files that are made of those of the user
TEXT, HELD_OUT, BITEXT = "text.txt", "held-out.txt", "bitext.txt"
# the corpora of a recipe, and the options that give their files
OPTIONS = {"bitext.corpus": "--bitext", "held_out.corpus": "--held-out"}


@dataclass(frozen=True)
class TextOptions:
    """What an encoder is trained on.

    Args:
        text: text file, or a folder: all its .txt files (all files with the --reader of another
            format)
        reader: format; by default a blank line or the end of a file ends a document
        held_out: share of the documents to hold out, or a file: its loss is logged, also with
            shuffled neighbours
        held_out_every: steps between two such losses (default 100)
        bitext: translations to train on as well: lines source||target, or two tab-separated columns
    """

    text: Path
    reader: Reader = DEFAULT_READER
    held_out: str | None = None
    held_out_every: int | None = None
    bitext: Path | None = None


def text_files(path: Path, reader: str) -> dict[str, Any]:
    """Return a text file, or all of a folder, as a block of `TextFiles`; check what is plain."""
    if path.is_dir():
        pattern = "**/*.txt" if reader in PLAIN else "**/*"
        return {"reader": reader, "files": [f"{escape(str(path.resolve()))}/{pattern}"]}
    if reader == DEFAULT_READER:
        of_one = ", or give --reader document if it is a single one"
        require_boundaries(path, of_one)
    return {"reader": reader, "files": [escape(str(path.resolve()))]}


def write_text_corpus(output: Path, source: Path, **choices: Any) -> Path:
    """Write the sentences of text files as `output`; return that."""
    options = text.Options(kind="text", size="all", **choices)
    dropped: Counter[str] = Counter()
    counts = write_documents(output, options.documents(source, 0, dropped))
    # these are in the other corpus
    del dropped["other_part"]
    left_out = ", ".join(f"{number:,} {why}" for why, number in sorted(dropped.items()))
    counted = f"{counts['strings']:,} sentences in {counts['documents']:,} documents"
    print(f"{source}: {counted}; left out: {left_out or 'none'}", file=sys.stderr)
    return output


def pairs_file(path: Path, folder: Path) -> Path:
    """Return the file of pairs source||target: `path`, or one made of its two columns."""
    first = next((line for line in stream_lines(path) if line.strip()), "")
    if "\t" not in first:
        return path
    pairs = PairFiles(path=str(path)).pairs(Path())
    lines = pair_lines(pairs, "kept", Counter())
    write_text(folder / BITEXT, "".join(line + "\n" for line in lines))
    return folder / BITEXT


def read_held_out(value: str | None) -> int | Path | None:
    """Return --held-out: that one document in so many is, or a file; None without."""
    if (share := parse_number(value or "")) is None:
        return Path(value) if value else None
    if not 0 < share <= 0.5:
        raise UserError(
            f"--held-out {value}", "give a share of documents up to 0.5, or a file", None
        )
    return round(1 / share)


def recipe_changes(texts: TextOptions, epochs: int | None) -> dict[str, Any]:
    """Return what the options change of a recipe, by key."""
    changes: dict[str, Any] = {}
    if epochs is not None:
        changes |= {"epochs": epochs, "steps": None}
    if texts.bitext is not None:
        changes |= {"bitext.corpus": "bitext"}
    every = texts.held_out_every
    if texts.held_out is not None:
        changes |= {"held_out.corpus": "held-out"}
        changes |= {"held_out.every": _SCORED_EVERY if every is None else every}
    elif every is not None:
        raise UserError("--held-out-every", "nothing is held out", "give --held-out too")
    return changes


def make_corpora(texts: TextOptions, folder: Path) -> dict[str, Path]:
    """Write the corpora of a command to `folder`; return the file of each key of `OPTIONS`."""
    held_out = read_held_out(texts.held_out)
    train: dict[str, Any] = {"texts": [text_files(texts.text, texts.reader)]}
    files = {}
    if isinstance(held_out, Path):
        own = [text_files(held_out, texts.reader)]
        files["held_out.corpus"] = write_text_corpus(folder / HELD_OUT, held_out, texts=own)
        train["kept_out"] = own
    elif held_out is not None:
        train["held_out"] = held_out
        path = folder / HELD_OUT
        files["held_out.corpus"] = write_text_corpus(path, texts.text, **train, part="held_out")
    if texts.bitext is not None:
        files["bitext.corpus"] = pairs_file(texts.bitext, folder)
    return files | {"text": write_text_corpus(folder / TEXT, texts.text, **train)}


def cmlm(
    *,
    model: str,
    recipe: str = "cmlm-small",
    texts: TextOptions,
    epochs: int | None = None,
    tuning: TuningOptions,
    development: DevelopmentSetOptions,
    machine: MachineOptions,
) -> None:
    """Make an encoder from your own running text, by conditional masked language modelling.

    Any other recipe that trains on running text works too. The text is split into sentences;
    repeated and very short ones are left out. The encoder loads with SentenceTransformer(DIR) and
    with transformers. A recipe with `start` continues from an encoder: --model is then the folder
    of that encoder.

    Args:
        model: model folder or hub id (id@revision)
        recipe: name of a recipe in config/recipes.yaml
        epochs: passes over the text, instead of the recipe's
    """
    changes = recipe_changes(texts, epochs)
    if not texts.text.is_dir():
        check_files("--text", texts.text)
        require_lines("--text", texts.text, "write the column to a text file")
    check_files("--bitext", texts.bitext)
    inputs = [texts.text, texts.bitext, texts.held_out and Path(texts.held_out)]
    files_of_user = [path for path in inputs if path]
    plan = plan_encoders(model, recipe, files_of_user, tuning, development, machine, changes)
    keys = plan.recipe.corpora()
    for key in keys:
        if key not in changes:
            raise UserError(f"recipes.{recipe}.{key}", f"give its file with {OPTIONS[key]}", None)
    output = tuning.output.resolve()
    if output.is_relative_to(texts.text.resolve()):
        raise UserError(f"--output {tuning.output}", "in the folder of --text", "choose another")
    # not in TMPDIR, where those of killed runs would stay
    with passing_directory(output.with_name(f"corpora-of-{output.name}")) as folder:
        try:
            files = make_corpora(texts, folder)
            make_encoders(plan, files["text"], [files[key] for key in keys])
        except UserError as error:
            # name the user's file, not the one made of it
            for name, path in ((TEXT, texts.text), (BITEXT, texts.bitext)):
                error = error.renamed(folder / name, str(path))
            raise error.renamed(folder / HELD_OUT, HELD_OUT) from None


main = command(cmlm, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
