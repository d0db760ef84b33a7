"""Command: an encoder from one's own running text, by conditional masked language modelling.

Or by any other recipe that trains on running text. The text is split into sentences; repeats and
very short ones are left out. The encoder loads with SentenceTransformer(DIR) and with transformers.
A recipe with `start` goes on from an encoder: --model is then the folder of that one.
"""

import argparse
import sys
from collections import Counter
from glob import escape
from pathlib import Path
from typing import Any

from workflow_scripts.cli import check_files, command_parser
from workflow_scripts.corpora.kinds import text
from workflow_scripts.corpora.kinds.bitext import PairFiles
from workflow_scripts.corpora.pair_lines import pair_lines
from workflow_scripts.corpora.sample_corpus import write_documents
from workflow_scripts.corpora.text_readers import READERS
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import parse_number, passing_directory, stream_lines, write_text
from workflow_scripts.tune import add_arguments, make_encoders, read_wanted
from workflow_scripts.tuning.running_text import require_boundaries

EXAMPLE = """
COMMAND --model resources/models/bert-en-mini --text resources/sample_data/running-text/en.txt \\
    --output my-cmlm-encoder
"""
# plain text: of a folder, the files that end so
PLAIN = ("blank-line-documents", "document", "wrapped-document", "lines")
# the files that are made of what is given
TEXT, HELD_OUT, BITEXT = "text.txt", "held-out.txt", "bitext.txt"
# the corpora of a recipe, and the arguments that give their files
OPTIONS = {"bitext.corpus": "--bitext", "held_out.corpus": "--held-out"}


def text_files(path: Path, reader: str) -> dict[str, Any]:
    """Return a text file, or all of a folder, as a block of `TextFiles`; check what is plain."""
    if path.is_dir():
        pattern = "**/*.txt" if reader in PLAIN else "**/*"
        return {"reader": reader, "files": [f"{escape(str(path.resolve()))}/{pattern}"]}
    if reader == PLAIN[0]:
        of_one = ", or give --reader document if it is a single one"
        require_boundaries(path, stream_lines(path), of_one)
    return {"reader": reader, "files": [escape(str(path.resolve()))]}


def write_text_corpus(output: Path, given: Path, **choices: Any) -> str:
    """Write the sentences of text files as `output`; return its path."""
    options = text.Options(kind="text", size="all", **choices)
    dropped: Counter[str] = Counter()
    counts = write_documents(output, text.documents(given, options, 0, dropped))
    # these are in the other corpus
    del dropped["other_part"]
    left_out = ", ".join(f"{number:,} {why}" for why, number in sorted(dropped.items()))
    counted = f"{counts['strings']:,} sentences in {counts['documents']:,} documents"
    print(f"{given}: {counted}; left out: {left_out or 'none'}", file=sys.stderr)
    return str(output)


def pairs_file(path: Path, folder: Path) -> str:
    """Return the file of pairs source||target: `path`, or one made of its two columns."""
    first = next((line for line in stream_lines(path) if line.strip()), "")
    if "\t" not in first:
        return str(path)
    pairs = PairFiles(path=str(path)).pairs(Path())
    lines = pair_lines(pairs, "kept", Counter())
    write_text(folder / BITEXT, "".join(line + "\n" for line in lines))
    return str(folder / BITEXT)


def read_held_out(value: str | None) -> int | Path | None:
    """Return --held-out: that one document in so many is, or a file; None without."""
    if (share := parse_number(value or "")) is None:
        return Path(value) if value else None
    if not 0 < share <= 0.5:
        raise UserError(
            f"--held-out {value}", "give a share of documents up to 0.5, or a file", None
        )
    return round(1 / share)


def make_corpora(arguments: argparse.Namespace, folder: Path) -> dict[str, str]:
    """Write the corpora that were given to `folder`; return the file of each key of `OPTIONS`."""
    given, held_out = arguments.text, read_held_out(arguments.held_out)
    train: dict[str, Any] = {"texts": [text_files(given, arguments.reader)]}
    files = {}
    if isinstance(held_out, Path):
        own = [text_files(held_out, arguments.reader)]
        files["held_out.corpus"] = write_text_corpus(folder / HELD_OUT, held_out, texts=own)
        train["kept_out"] = own
    elif held_out is not None:
        train["held_out"] = held_out
        path = folder / HELD_OUT
        files["held_out.corpus"] = write_text_corpus(path, given, **train, part="held_out")
    if arguments.bitext is not None:
        files["bitext.corpus"] = pairs_file(arguments.bitext, folder)
    return files | {"text": write_text_corpus(folder / TEXT, given, **train)}


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("cmlm", __doc__, EXAMPLE)
    add = parser.add_argument
    texts = "text file, or a folder: all its .txt files (all files with a --reader of a format)"
    add("--text", required=True, type=Path, metavar="FILE|DIR", help=texts)
    reader = "format: by default a blank line ends a document, and so does a file's end"
    add("--reader", choices=READERS, default=PLAIN[0], help=reader)
    logged = "share of the documents, or a file: its loss is logged, with shuffled neighbours too"
    add("--held-out", metavar="SHARE|FILE", help=logged)
    add("--held-out-every", type=int, metavar="STEPS", help="default 100")
    pairs = "translations to retrieve beside: lines source||target, or two columns (tab)"
    add("--bitext", type=Path, metavar="FILE", help=pairs)
    add("--epochs", type=int, help="passes over the text, instead of the recipe's")
    add_arguments(parser, default="cmlm-small")
    arguments = parser.parse_args(argv)
    before: dict[str, Any] = {}
    if arguments.epochs is not None:
        before |= {"epochs": arguments.epochs, "steps": None}
    if arguments.bitext is not None:
        before |= {"bitext.corpus": "bitext"}
    every = 100 if arguments.held_out_every is None else arguments.held_out_every
    if arguments.held_out is not None:
        before |= {"held_out.corpus": "held-out", "held_out.every": every}
    elif arguments.held_out_every is not None:
        raise UserError("--held-out-every", "nothing is held out", "give --held-out too")
    if not arguments.text.is_dir():
        check_files("--text", arguments.text)
    check_files("--bitext", arguments.bitext)
    given = (arguments.text, arguments.bitext, arguments.held_out)
    wanted = read_wanted(arguments, [str(one) for one in given if one is not None], before)
    for key in wanted.recipe.corpora():
        if key not in before:
            raise UserError(
                f"recipes.{arguments.recipe}.{key}", f"give its file with {OPTIONS[key]}", None
            )
    if arguments.output.resolve().is_relative_to(arguments.text.resolve()):
        raise UserError(f"--output {arguments.output}", "in the folder of --text", "choose another")
    output = arguments.output.resolve()
    # not in TMPDIR, where those of killed runs would stay
    with passing_directory(output.with_name(f"corpora-of-{output.name}")) as folder:
        try:
            files = make_corpora(arguments, folder)
            more = [files[key] for key in wanted.recipe.corpora()]
            make_encoders(arguments, wanted, files["text"], more)
        except UserError as error:
            # name what was given, not what was made of it
            for made, path in ((TEXT, arguments.text), (BITEXT, arguments.bitext)):
                error = error.renamed(folder / made, str(path))
            raise error.renamed(folder / HELD_OUT, HELD_OUT) from None


if __name__ == "__main__":
    run_command(main)
