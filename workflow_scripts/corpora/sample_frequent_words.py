"""Write the most frequent words of a language as a corpus: one word per line, and a record."""

from importlib.metadata import version

from workflow_scripts.corpora.frequent_words import most_frequent_words, read_word_list
from workflow_scripts.corpora.sampling import draw_corpus, parse_arguments, write_corpus
from workflow_scripts.errors import UserError, run_command


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    arguments = parse_arguments(argv, "frequent-words", __doc__)
    options = arguments.options
    skip = options["skip"]
    if options["path"] is None:
        number = None if options["size"] == "all" else skip + options["size"]
        words = most_frequent_words(options["language"], number)
        versions = {"wordfreq": version("wordfreq")}
    else:
        words = read_word_list(arguments.root / options["path"])
        versions = {}
    # The most frequent ones are the first ones: nothing is drawn at random.
    corpus = draw_corpus(words, options["size"], options["deduplicate"], seed=None, skip=skip)
    if corpus.available and not corpus.strings:
        raise UserError(
            f"corpus {arguments.output.stem!r}: skip {skip} passes over all {corpus.available} "
            "words there are; give a smaller number"
        )
    write_corpus(arguments, corpus, versions, seed=None)


if __name__ == "__main__":
    run_command(main)
