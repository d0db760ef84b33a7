"""Write a random sample of sentences as a corpus: one sentence per line, and a record."""

from workflow_scripts.corpora.sampling import draw_corpus, parse_arguments, write_corpus
from workflow_scripts.corpora.sentences import NLI, QNLI, read_both_sentences, read_wikimatrix
from workflow_scripts.datasets.sts_benchmark import read_sentences
from workflow_scripts.errors import run_command
from workflow_scripts.files import read_lines


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    arguments = parse_arguments(argv, "sentences", __doc__)
    options = arguments.options
    path = arguments.root / options["path"]
    if options["format"] == "sts-benchmark":
        sentences = read_sentences(path)
    elif options["format"] == "wikimatrix":
        sentences = read_wikimatrix(path, options["side"], options["margin"])
    elif options["format"] in ("qnli", "nli"):
        columns = QNLI if options["format"] == "qnli" else NLI
        sentences = read_both_sentences(path, columns)
    else:
        sentences = read_lines(path)
    corpus = draw_corpus(sentences, options["size"], options["deduplicate"], arguments.seed)
    write_corpus(arguments, corpus, {}, arguments.seed)


if __name__ == "__main__":
    run_command(main)
