"""Mentions and names as BioSyn's preprocessing leaves them (Sung et al. 2020; its `preprocess`).

In order: abbreviations that title or abstract define are written out, composites split, letters
lower-cased, typos fixed, punctuation turned into blanks. Names of the dictionary get the last
three alone, without typos.
"""

import re
from pathlib import Path
from string import punctuation

from workflow_scripts.datasets.abbreviations import find_abbreviations, write_out
from workflow_scripts.datasets.entity_linking import Mention
from workflow_scripts.delimited import Layout, read_rows

_BLANKS = re.compile(rf"[\s{re.escape(punctuation)}]+")
_AND = ("and", "or")


def clean(text: str) -> str:
    """Return a name in small letters, with blanks instead of punctuation."""
    return _BLANKS.sub(" ", text.lower()).strip()


def read_typos(path: Path) -> dict[str, str]:
    """Read lines of `wrong||right`."""
    layout = Layout((1, 2), "wrong||right", exact=True, delimiter="||")
    return dict(fields for _, fields in read_rows(path, layout))


def prepare(mention: Mention, texts: tuple[str, ...], typos: dict[str, str]) -> Mention:
    """Return a mention of a document with the given title and abstract, in its parts.

    Parts that the file gives are taken where they are as many as the ids. A mention of which a part
    has no concept has none.
    """
    # those of a later text count before an earlier's
    long_forms = {short: long for text in texts for short, long in find_abbreviations(text).items()}
    has_parts = len(mention.parts) == mention.ids.count("|") + 1
    text = write_out("|".join(mention.parts) if has_parts else mention.text, long_forms)
    if "|" in text:
        parts, ids = [text], mention.ids
    else:
        parts, ids = split_composite(text, mention.ids)
    # as upstream, words next to a bar are not looked up
    words = (typos.get(word, word) for word in "|".join(parts).lower().split())
    parts = [cleaned for part in " ".join(words).split("|") if (cleaned := clean(part))]
    parts = parts or [mention.text.lower()]
    ids = "-1" if "-1" in re.split(r"[|+ ]", ids) else ids
    return mention._replace(text=" ".join(parts), ids=ids, parts=parts)


def split_composite(mention: str, ids_text: str) -> tuple[list[str], str]:
    """Return the parts of a mention, as many as its ids or one, and its ids.

    Where some ids are OMIM's and some are not, OMIM's are dropped.
    """
    joint = next((joint_sign for joint_sign in "|+" if joint_sign in ids_text), "|")
    ids = ids_text.split(joint)
    mesh = [identity for identity in ids if "OMIM" not in identity]
    ids = mesh or ids
    parts = _parts(mention, len(ids)) if len(ids) > 1 else []
    return parts if len(parts) == len(ids) else [mention], joint.join(ids)


def _parts(mention: str, number: int) -> list[str]:
    words = mention.split()
    if parts := _of_each(words) or _list_before_noun(words):
        return parts
    if "/" in mention and "and/or" not in mention:
        before, after = (part.strip() for part in mention.rsplit("/", 1))
        shared = before.rpartition(" ")[0]
        return [before, f"{shared} {after}".strip()]
    return words if len(words) == number else []


def _is_word(text: str) -> bool:
    return re.fullmatch("[a-zA-Z-]+", text) is not None


def _of_each(words: list[str]) -> list[str]:
    """Split `cancer of (both) (the) breast and (the) ovary` at the last `and` or `or`."""
    if words[1:2] != ["of"] or not _is_word(words[0]):
        return []
    rest = words[2:]
    for word in ("both", "the"):
        rest = rest[1:] if rest[:1] == [word] else rest
    for at in range(len(rest) - 2, 0, -1):
        second = rest[at + 2 :] if rest[at + 1] == "the" and rest[at + 2 :] else rest[at + 1 :]
        if rest[at] not in _AND or not all(map(_is_word, rest[:at])):
            continue
        letters = re.match("[a-zA-Z- ]*", " ".join(second))
        run = letters[0].strip() if letters else ""
        if run:
            return [f"{words[0]} of {' '.join(rest[:at])}", f"{words[0]} of {run}"]
    return []


def _list_before_noun(words: list[str]) -> list[str]:
    """Split `a, b and c noun`; in `a or b and c noun`, `b and c` is one."""
    places = [at for at in range(len(words) - 3, 0, -1) if words[at] in (*_AND, "and/or")]
    pairs = [(at, 3) for at in places if words[at + 2] == "and"]
    singles = [
        (at, width) for at in places for width in (2, 1) if width == 1 or words[at + 1] == "the"
    ]
    for at, number in (*pairs, *singles):
        last, noun = words[at + 1 : at + 1 + number], words[at + 1 + number :]
        if not noun or not all(_is_word(word.removesuffix(",")) for word in words[:at]):
            continue
        if all(map(_is_word, last)):
            heads = [*" ".join(words[:at]).split(","), " ".join(last)]
            return [f"{head.strip()} {' '.join(noun)}" for head in heads if head]
    return []
