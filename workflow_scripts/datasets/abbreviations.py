"""Abbreviations that a text defines, `Duchenne muscular dystrophy (DMD)`, by the rules of Ab3P.

Sohn, Comeau, Kim and Wilbur 2008, BMC Bioinformatics 9:402. Candidates, the conditions on both
forms and the rules are theirs. Not here: short forms of one letter, their list of words that may
stand at the end of another (without it, any letters may), and the precisions by which one of two
definitions at one bracket is chosen (here: the one in front of it).
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

_CLOSING = {"(": ")", "[": "]"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9\"'(])")
_WORDS_BEFORE, _WORDS_INSIDE = 10, 11
_ROUNDS = 10  # of writing out: a long form may hold another short form
_TRIALS = 20_000  # of places of the letters, for texts such as `AAAAAAAA (AAAA)`
# of the words that may be passed over wherever they stand: those that names of diseases have
_STOP_WORD = re.compile(
    "a|about|after|against|all|among|an|and|as|at|because|before|between|both|but|by|during|each|"
    "etc|for|from|in|into|its|more|most|nor|of|off|on|onto|or|other|out|over|per|some|such|than|"
    "that|the|their|these|this|those|through|to|toward|under|upon|via|which|while|with|within|"
    "without"
)
# Which words between the letters may be skipped, and where the letters are: all at starts of words,
# at least one of each word at its start, or anywhere. The first rule that fits is used.
_RULES = (
    *(("none", "starts"), ("none", "started"), ("stop", "starts"), ("one", "starts")),
    *(("one", "started"), ("none", "any"), ("one", "any")),
)


def _sentences(text: str) -> list[str]:
    """Return the sentences; none ends within a bracket."""
    sentences = [""]
    for part in _SENTENCE.split(text):
        if sentences[-1].count("(") > sentences[-1].count(")"):
            sentences[-1] += f" {part}"
        else:
            sentences.append(part)
    return sentences


def _words(sentence: str) -> list[str]:
    """Return the words; a bracket is one if it opens after a blank, and its end likewise."""
    spaced = ""
    open_brackets: dict[str, list[bool]] = {"(": [], "[": []}
    for word in sentence.split():
        spaced += " "
        for at, letter in enumerate(word):
            rest = word[at:]
            if letter in _CLOSING:
                closing = _CLOSING[letter]
                after = rest[rest.rfind(closing) + 1 :]
                if rest.count(letter) == rest.count(closing) and after[:1].isalnum():
                    spaced += rest  # (h)alpha is a word
                    break
                open_brackets[letter].append(spaced.endswith(" ") and spaced != " ")
                spaced += f"{letter} " if open_brackets[letter][-1] else letter
            elif letter in _OPENING and (of_kind := open_brackets[_OPENING[letter]]):
                spaced += f" {letter} " if of_kind.pop() else letter
            else:
                spaced += letter
    return spaced.split()


def _candidates(sentence: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words before a bracket and what is in it, up to a comma or semicolon."""
    words = _words(sentence)
    for opening, closing in _CLOSING.items():
        start, opened = 0, None
        for at, word in enumerate(words):
            if word == opening:
                if opened is not None:
                    start = opened + 1
                if at > start and words[at - 1] != closing:
                    opened = at
            elif word == closing:
                if opened is not None and 1 < at - opened <= _WORDS_INSIDE + 1 and opened > start:
                    inside = re.split("[;,] ", " ".join(words[opened + 1 : at]))[0]
                    yield words[max(start, opened - _WORDS_BEFORE) : opened], inside.rstrip()
                else:
                    start = at + 1
                opened = None


def _is_short_form(text: str, long_form: str) -> bool:
    letters = sum(letter.isalpha() for letter in text)
    if not (1 < len(text) <= len(long_form) and text[0].isalnum() and 0 < letters <= 10):
        return False
    return len(text.split()) <= 2 and _balanced(text) and not re.match(r"\d{3}|\d+ ", text)


def _balanced(text: str) -> bool:
    return all(text.count(opening) == text.count(other) for opening, other in _CLOSING.items())


def _starts_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def _near(text: str, at: int, end: int) -> bool:
    """Whether one place is before another, with no more than two words between."""
    return at < end and text.count(" ", at, end) <= 3


def _possible(letters: str, text: str) -> list[list[int]]:
    """Return for each letter where it may stand; the first is at the start of a word or part."""
    positions: list[list[int]] = []
    for letter in letters:
        same = [at for at, character in enumerate(text) if character == letter]
        if positions:
            positions.append(
                [at for at in same if any(_near(text, position, at) for position in positions[-1])]
            )
        else:
            positions.append([at for at in same if _starts_word(text, at)])
    return positions


def _places(possible: list[list[int]], text: str, end: int) -> Iterator[list[int]]:
    """Yield where the letters stand in the text before `end`, in order, the last ones first."""
    for at in reversed(possible[-1]):
        if not _near(text, at, end):
            continue
        if len(possible) == 1:
            yield [at]
        else:
            yield from ([*places, at] for places in _places(possible[:-1], text, at))


def _long_form(short: str, words: list[str]) -> str | None:
    """Return the words from that of the first letter of the short form on, by the best rule."""
    text = " ".join(words).lower()
    letters = "".join(letter for letter in short.lower() if letter.isalnum())
    best, first = len(_RULES), 0
    stop_words = {n for n, word in enumerate(text.split(" ")) if _STOP_WORD.fullmatch(word)}
    for places in islice(_places(_possible(letters, text), text, len(text)), _TRIALS):
        at_word = [text.count(" ", 0, at) for at in places]
        passed = [range(a + 1, b) for a, b in zip(at_word, [*at_word[1:], len(words)], strict=True)]
        most = max(map(len, passed))
        starts = [word for word, at in zip(at_word, places, strict=True) if _starts_word(text, at)]
        fitting = {
            "none": most == 0,
            "one": most == 1,
            "stop": most in (1, 2) and stop_words.issuperset(n for rank in passed for n in rank),
            "starts": len(starts) == len(places),
            "started": set(starts) == set(at_word),
            "any": len(short) > 2,
        }
        rank = next(
            (n for n, (left, right) in enumerate(_RULES) if fitting[left] and fitting[right]),
            99,
        )
        if rank < best:
            best, first = rank, at_word[0]
        if best == 0:
            break
    long_form = " ".join(words[first:])
    if best == len(_RULES) or not _balanced(long_form):
        return None
    return None if f" {short.lower()} " in f" {long_form.lower()} " else long_form


# mentions of one document often follow each other
@lru_cache(maxsize=8)
def find_abbreviations(text: str) -> dict[str, str]:
    """Return the long form of each short form that the text defines; the last definition counts.

    A bracket holds the short form, or the long form of the word before it.
    """
    abbreviations = {}
    for sentence in _sentences(text):
        for before, inside in _candidates(sentence):
            for short, words in ((inside, before), (before[-1], inside.split())):
                if short != inside and not any(letter.isupper() for letter in short):
                    continue
                if not _is_short_form(short, " ".join(words)):
                    continue
                if (long_form := _long_form(short, words)) is not None:
                    abbreviations[short] = long_form
                    break
    return abbreviations


def write_out(mention: str, long_forms: dict[str, str]) -> str:
    """Return a mention with the long forms of its words, and of the parts of `a/b`."""
    for _ in range(_ROUNDS):
        words = []
        for word in mention.split():
            word = "/".join(long_forms.get(part, part) for part in word.split("/"))
            comma = "," if word.endswith(",") else ""
            word = word.replace(",", "") if comma else word
            words.append(long_forms.get(word, word) + comma)
        if (written := " ".join(words)) == mention:
            break
        mention = written
    return mention


def expand_abbreviations(mention: str, document: str) -> str:
    """Return a mention with the long forms of the abbreviations that its document defines.

    The mention itself may be one of several words ("RNase P"); else its words are looked up, in
    the letters in which they are defined.
    """
    long_forms = find_abbreviations(document)
    return write_out(long_forms.get(mention, mention), long_forms)
