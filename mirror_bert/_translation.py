"""Translations of words as a table of pandas."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.datasets.word_pairs import split_by_source
from workflow_scripts.embedding.encoder import Encoder, list_of_strings
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.mapping import MappingKind
from workflow_scripts.retrieval.translations import Retrieval
from workflow_scripts.scoring.word_translations import (
    COLUMNS,
    Lexicon,
    MapOptions,
    Words,
    embed_lexicon,
    scores_of,
    translate_words,
    without_held_out,
)

if TYPE_CHECKING:
    import pandas


def translate(
    encoder: Encoder,
    dictionary: Iterable[tuple[str, str]],
    source_vocabulary: Sequence[str],
    target_vocabulary: Sequence[str],
    words: Sequence[str] | None = None,
    *,
    target_encoder: Encoder | None = None,
    k: int = 5,
    test_share: float = 0.2,
    seed: int = 33,
    mapping: MappingKind = "supervised",
    regularisation: float = 0.0,
    retrieval: Retrieval = "csls",
    neighbours: int = NEIGHBOURS,
) -> "pandas.DataFrame":
    """Return the `k` best translations of each word, by a map learnt on a small dictionary.

    A row for each word and translation: `word`, `rank` (from 1), `translation`, `score`.
    `dictionary` holds pairs (source word, target word). The share `test_share` of its source words,
    drawn by `seed`, is held out; the accuracy on it, with 95% intervals, is in
    `frame.attrs["held_out"]`. `words` are the words to translate (default: the held-out ones);
    `target_encoder` embeds the target language (default: `encoder`). `mapping`, `regularisation`,
    `retrieval` and `neighbours` are the options of `mirror-bert translate`. Raises `UserError`.
    Source: Liu et al. 2021, section 4 (lexicon induction); Artetxe et al. 2018.
    """
    import pandas

    pairs = [(str(source), str(target)) for source, target in dictionary]
    learnt, test = split_by_source(pairs, test_share, seed)
    train = without_held_out(learnt, test)
    if not train:
        raise UserError("dictionary", "all its words are held out", "enlarge it")
    asked = unique_in_order(source for source, _ in test) if words is None else list(words)
    if regularisation and mapping != "supervised":
        problem = f"mapping {mapping!r} has none"
        raise UserError("regularisation", problem, 'remove it, or take mapping="supervised"')
    if not asked:
        raise UserError("words", "nothing to translate", "give some, or a larger test_share")
    vocabularies = [list_of_strings(source_vocabulary), list_of_strings(target_vocabulary)]
    lexicon = Lexicon(vocabularies, train, test, list_of_strings(asked))
    encoders = (encoder, target_encoder or encoder)

    def embed(column: int, strings: list[str]) -> Words:
        return Words.in_order(encoders[column].encode(strings), strings, encoders[column].name)

    sides = embed_lexicon(lexicon, embed, shared=encoders[0] is encoders[1])
    maps = MapOptions(k, mapping, regularisation, retrieval, neighbours)
    threads = torch.get_num_threads()
    rows, measured = translate_words(lexicon, sides, "dictionary", maps, threads=threads)
    frame = pandas.DataFrame(rows, columns=list(COLUMNS))
    held_out: dict[str, Any] = {}
    if measured is not None:
        held_out = {"n": measured.n, "coverage": measured.coverage}
        held_out |= {
            score.metric: (score.value, score.low, score.high) for score in scores_of(measured)
        }
    frame.attrs = {"held_out": held_out}
    return frame
