"""Links of mentions to the names of an ontology as a table of pandas."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from workflow_scripts import link as command
from workflow_scripts.datasets.name_lists import Choices
from workflow_scripts.datasets.name_lists import read_names as read_name_files
from workflow_scripts.embedding.encoder import Encoder, list_of_strings
from workflow_scripts.embedding.string_encoding import torch_encoder
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.link_options import LinkOptions, Similarity
from workflow_scripts.retrieval.mention_links import COLUMNS
from workflow_scripts.retrieval.name_encoder import NameEncoder
from workflow_scripts.retrieval.name_index import index_names

if TYPE_CHECKING:
    import pandas


def link(
    encoder: Encoder,
    names: Path | Sequence[Path] | Iterable[tuple[str, str]],
    mentions: Sequence[str],
    *,
    k: int = 5,
    threshold: float | None = None,
    margin: float | None = None,
    similarity: Similarity = "cosine",
    each_name: bool = False,
) -> "pandas.DataFrame":
    """Return the `k` ids whose names are nearest to each mention, best first.

    `names` are pairs (id, name), or files of names as `mirror-bert link` reads them (tsv, OBO,
    MRCONSO.RRF, ...). A row for each mention and id: `mention`, `rank` (from 1), `id`, `name` (the
    nearest one of that id) and `score`. A mention is linked if its best score is at least
    `threshold` and lies above the second by `margin`; one that is not has a row of rank 0.
    `similarity` is "cosine", or "dot" of the vectors as they are; with `each_name` it is k names,
    not ids. Names have the prompt of role "passage", mentions that of "query". The search is exact;
    vectors of names are in memory, 4 bytes a unit (the command keeps them on disk). Raises
    `UserError`.
    """
    import pandas

    if k < 1:
        raise UserError(f"k {k}", "below 1", "give 1 or more")
    ids, texts = read_names(names)
    texts_of_mentions = [text for text in list_of_strings(mentions) if text.strip()]
    of_strings = torch_encoder(encoder.loaded, encoder.settings)
    name_encoder = NameEncoder(of_strings, similarity, encoder.name, {})
    index = index_names(ids, texts, name_encoder.encode_names(texts, lambda _: None))
    distinct = list(dict.fromkeys(texts_of_mentions))
    best = command.link_mentions(
        name_encoder,
        index,
        distinct,
        LinkOptions(k, threshold, margin),
        each_name=each_name,
        threads=torch.get_num_threads(),
    )
    links_of = dict(zip(distinct, best, strict=True))
    rows: list[tuple[str, int, str | None, str | None, float | None]] = []
    for mention in texts_of_mentions:
        for rank, best_link in enumerate(links_of[mention], start=1):
            rows.append((mention, rank, *best_link))
        if not links_of[mention]:
            rows.append((mention, 0, None, None, None))
    return pandas.DataFrame(rows, columns=list(COLUMNS))


def read_names(
    names: Path | Sequence[Path] | Iterable[tuple[str, str]],
) -> tuple[list[str], list[str]]:
    """Return the ids and the names of pairs (id, name) or of files, row by row."""
    if isinstance(names, str):
        raise UserError("names", "a single string", "give pairs (id, name), or a Path")
    listed: list[Any] = [names] if isinstance(names, Path) else list(names)
    paths = [path for path in listed if isinstance(path, Path)]
    if paths and len(paths) == len(listed):
        read = read_name_files(paths, Choices())
        return read.ids, read.names
    pairs: dict[tuple[str, str], None] = {}
    for number, pair in enumerate(listed):
        is_pair = isinstance(pair, tuple | list) and len(pair) == 2
        if not is_pair or not all(isinstance(part, str) and part.strip() for part in pair):
            problem, remedy = "not an id and a name", "give pairs of two strings that are not blank"
            raise UserError(f"names[{number}]", problem, remedy)
        if any(mark in part for part in pair for mark in "\t\n\r"):
            raise UserError(f"names[{number}]", "holds a tab or a line break", "replace it")
        pairs[pair[0], pair[1]] = None
    if not pairs:
        raise UserError("names", "no names", "give at least one pair (id, name)")
    return [identity for identity, _ in pairs], [name for _, name in pairs]
