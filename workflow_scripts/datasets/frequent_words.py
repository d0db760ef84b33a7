"""The most frequent words of a language, from the wordfreq package or from a list."""

from itertools import islice
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines


def is_word(token: str) -> bool:
    """Return whether a token is a word: it has a letter of some script and no digit."""
    return any(map(str.isalpha, token)) and not any(map(str.isdigit, token))


def most_frequent_words(language: str, number: int | None) -> list[str]:
    """Return the first `number` words (None: all) of wordfreq's best list of a language.

    Raises `UserError` for a language that wordfreq has no list of (Estonian).
    """
    # Reading a list takes no torch but 0.2 s to import; commands that need none start without.
    import wordfreq

    if language not in wordfreq.available_languages("best"):
        raise UserError(
            "wordfreq",
            f"no list of words of language {language!r}",
            "name a file of words, most frequent first, in the block (corpus: path; lexicon: "
            "source_words, target_words)",
        )
    return list(islice(filter(is_word, wordfreq.iter_wordlist(language)), number))


def read_word_list(path: Path) -> list[str]:
    """Return the words of a file, one per line; what is not a word is passed over, repeats stay."""
    return list(filter(is_word, read_lines(path)))
