"""Write random strings of letters and digits as a corpus: one string per line, and a record."""

from itertools import islice

from workflow_scripts.corpora.catalogue import string_shape
from workflow_scripts.corpora.random_strings import different, random_strings
from workflow_scripts.corpora.sampling import draw_corpus, parse_arguments, write_corpus
from workflow_scripts.errors import run_command


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    arguments = parse_arguments(argv, "random-strings", __doc__)
    options = arguments.options
    drawn = random_strings(string_shape(options), arguments.seed)
    if options["deduplicate"]:
        # Ends: a block that asks for more strings than there are was refused.
        drawn = different(drawn)
    strings = islice(drawn, options["size"])
    # The strings are random as they come: none are drawn from among them.
    corpus = draw_corpus(strings, options["size"], options["deduplicate"], seed=None)
    write_corpus(arguments, corpus, {}, arguments.seed)


if __name__ == "__main__":
    run_command(main)
