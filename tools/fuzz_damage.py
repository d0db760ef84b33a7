"""Faults of files and of command lines, drawn at random."""

import gzip
import random
from collections.abc import Sequence
from pathlib import Path

# what replaces a cell of a file
ODD = ("", "nan", "-1e999", "9" * 5000, "\u00b2", "\0", "\t", '"', "||", "|", "{", "[" * 9999)
ODD += ("\\ud800", "\u2028", "\ufeff", "1_0", "-0", "x" * 100_000, "\r", ",,", "&a [*a]")
ODD += ("1000000000000 2", "null", "true", "{}", "-7", "99999999999")
_SEPARATORS = (b"\t", b",", b"|", b" ", b": ")
# what replaces a word; a byte that is not UTF-8 reaches Python as half a character
ODD_WORDS = ("", "0", "-1", "1", "2.5", "1e-400", "1_0", "\u00b2", "nan", "null", "{}", "[[1]]")
ODD_WORDS += ("{wildcards}", "a\nb", "||", "-", ".", "..", "x" * 300, "\udcff", '"', "../a b", "*")
# not for keys that set an amount of work, which may be as large as users like
_HUGE = ("99999999999", "9" * 30, "1e999", "1e30")
_AMOUNTS = ("steps", "epochs")
# Where the numbers and names of a file of vectors, of weights or of a model are.
_HEAD = 4096


def damage(body: bytes, chance: random.Random) -> bytes:
    """Return `body` with one to three faults."""
    for _ in range(chance.randint(1, 3)):
        lines = body.split(b"\n")
        place = chance.randrange(len(lines))
        separator = chance.choice(_SEPARATORS)
        cells = lines[place].split(separator)
        cell = chance.randrange(len(cells))
        match chance.randrange(8):
            case 0 if body:
                body = _flipped(body, chance.randrange(8 * len(body)))
            case 1 if body:
                body = _flipped(body, chance.randrange(8 * min(len(body), _HEAD)))
            case 2:
                body = body[: chance.randrange(len(body) + 1)]
            case 3:
                body = b"\n".join([*lines[:place], *lines[place + 1 :]])
            case 4:
                del cells[cell]
                body = b"\n".join([*lines[:place], separator.join(cells), *lines[place + 1 :]])
            case 5 | 6:
                cells[cell] = chance.choice(ODD).encode()
                body = b"\n".join([*lines[:place], separator.join(cells), *lines[place + 1 :]])
            case _:
                body = b"\n".join([*lines[:place], lines[place], *lines[place:]])
    return body


def _flipped(body: bytes, bit: int) -> bytes:
    return body[: bit // 8] + bytes([body[bit // 8] ^ 1 << bit % 8]) + body[bit // 8 + 1 :]


def wear_file(path: Path, chance: random.Random) -> None:
    """Damage a file in its place as a disk does: cut short, blocks of zeros, bits of arrays."""
    body = path.read_bytes()
    place = chance.randrange(len(body) + 1)
    if path.suffix in (".npy", ".npz") and body and chance.random() < 0.5:
        path.write_bytes(_flipped(body, chance.randrange(8 * min(len(body), _HEAD))))
    elif chance.random() < 0.5:
        path.write_bytes(body[:place])
    else:
        path.write_bytes(
            body[:place] + bytes(len(body[place : place + _HEAD])) + body[place + _HEAD :]
        )


def damage_file(path: Path, chance: random.Random) -> None:
    """Damage a file in its place; of a gzipped one as often what is packed in it."""
    body = path.read_bytes()
    if path.suffix == ".gz" and chance.random() < 0.5:
        path.write_bytes(gzip.compress(damage(gzip.decompress(body), chance)))
    else:
        path.write_bytes(damage(body, chance))


def damage_words(
    words: Sequence[str], options: Sequence[str], files: Sequence[str], chance: random.Random
) -> list[str]:
    """Return the words of a command line with one or two faults.

    `options` are all that the command has, `files` the contents of its folder.
    """
    words = list(words)
    for _ in range(chance.randint(1, 2)):
        place = chance.randrange(len(words))
        key, equals, _ = words[place].rpartition("=")
        name = key or (words[place - 1] if place else "")
        is_amount = name.strip("-").rpartition(".")[2] in _AMOUNTS
        huge = () if is_amount else _HUGE
        odd = chance.choice([*ODD_WORDS, *huge, *chance.choices(files, k=3)])
        match chance.randrange(5):
            case 0 | 1:
                words[place] = key + equals + odd
            case 2 if len(words) > 1:
                del words[place]
            case _ if options:
                option = chance.choice(options)
                if option.strip("-") in _AMOUNTS:
                    odd = "1"
                words += [option, odd] if chance.random() < 0.8 else [option]
    return words
