"""Put several corpora together into one: one string per line, and a record."""

from pathlib import Path

from workflow_scripts.corpora.sampling import (
    check_arguments,
    corpus_parser,
    draw_corpus,
    write_corpus,
)
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import read_lines


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    parser = corpus_parser(__doc__)
    parser.add_argument(
        "--corpora",
        required=True,
        nargs="+",
        type=Path,
        metavar="FILE",
        help="the corpora that the block names, in its order",
    )
    arguments = check_arguments(parser.parse_args(argv), "joined")
    names = [str(name) for name in arguments.options["of"]]
    if [path.stem for path in arguments.corpora] != names:
        raise UserError(
            f"corpus {arguments.output.stem!r}: --corpora must be the files of "
            f"{', '.join(names)}, in this order"
        )
    arguments.sources = arguments.corpora
    strings = (line for path in arguments.corpora for line in read_lines(path))
    corpus = draw_corpus(strings, "all", arguments.options["deduplicate"], seed=None)
    write_corpus(arguments, corpus, {}, seed=None)


if __name__ == "__main__":
    run_command(main)
