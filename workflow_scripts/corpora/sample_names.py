"""Write a random sample of names as a corpus: one name per line, and a record."""

from workflow_scripts.corpora.names import read_mrconso
from workflow_scripts.corpora.obo import read_obo
from workflow_scripts.corpora.sampling import draw_corpus, parse_arguments, write_corpus
from workflow_scripts.errors import run_command
from workflow_scripts.files import read_lines


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    arguments = parse_arguments(argv, "names", __doc__)
    options = arguments.options
    path = arguments.root / options["path"]
    if options["format"] == "mrconso":
        names = read_mrconso(path, options["language"], options["sources"], options["suppress"])
    elif options["format"] == "obo":
        names = read_obo(path)
    else:
        names = read_lines(path)
    corpus = draw_corpus(names, options["size"], options["deduplicate"], arguments.seed)
    write_corpus(arguments, corpus, {}, arguments.seed)


if __name__ == "__main__":
    run_command(main)
