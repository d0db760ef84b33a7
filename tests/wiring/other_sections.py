"""The keys of dictionaries and the tuning grid: other values, and what they reach."""

from variations import Change, Section
from wiring_project import DICTIONARY, TUNING_GRID, shorter

TUNED = {"model": "tiny", "recipe": "mirror", "corpus": "strings", "seed": 33}
EMBED = ("embed_names", "embed_mentions")
ENCODER = frozenset(f"{rule} {option}" for rule in EMBED for option in ("--encoder", "input"))
CHOICES = frozenset({"list_names --choices-json", "embed_names --choices-json"})
MRCONSO = {"names": {"one": {"path": "umls/MRCONSO.RRF", "format": "mrconso"}}}
TABLE = {"names": {"one": {"path": "made/headed.tsv", "name_column": "left"}}}
HEADED = {"mentions": "made/headed.tsv", "mention_column": "left"}


def both(option: str) -> frozenset[str]:
    return frozenset(f"{rule} {option}" for rule in EMBED)


DICTIONARIES = Section(
    base=DICTIONARY,
    wires=frozenset(),
    wired={
        "encoder.model": ENCODER,
        "encoder.recipe": both("--settings"),
        "encoder.corpus": ENCODER,
        "encoder.seed": ENCODER,
        "names.<id>.path": frozenset({"list_names --names"}),
        **{
            f"names.<id>.{key}": CHOICES
            for key in (
                *("format", "language", "sources", "suppress"),
                *("name_column", "id_column", "where"),
            )
        },
        "names.<id>.semantic_types": CHOICES | {"list_names input"},
        "shards": frozenset({"merge_links --shards", "merge_links input"})
        | {
            f"{rule} {what}" for rule in ("embed_names", "link_shard") for what in ("added", "gone")
        },
        "mentions": frozenset({"embed_mentions --mentions", "merge_links --mentions"}),
        "mention_column": frozenset(
            {"embed_mentions --mention-column", "merge_links --mention-column"}
        ),
        "gold_column": frozenset({"embed_mentions --gold-column", "merge_links --gold-column"}),
        "document_column": frozenset(
            {"embed_mentions --document-column", "merge_links --document-column"}
        ),
        "lower_case": CHOICES | {"embed_mentions --lower-case", "merge_links --lower-case"},
        "similarity": both("--similarity"),
        "dtype": frozenset({"embed_names --dtype"}),
        "k": frozenset({"link_shard --k", "merge_links --k"}),
        "threshold": frozenset({"merge_links --threshold"}),
        "margin": frozenset({"merge_links --margin"}),
    },
    changes={
        "encoder.model": "other",
        "encoder.recipe": "first",
        "encoder.corpus": Change("strings-2", {"encoder": TUNED}),
        "encoder.seed": Change(44, {"encoder": TUNED}),
        "names.<id>.path": shorter("made/dictionary.txt"),
        "names.<id>.format": "lines",
        "names.<id>.language": Change("FRE", MRCONSO),
        "names.<id>.sources": Change(["MSH"], MRCONSO),
        "names.<id>.suppress": Change(["O"], MRCONSO),
        "names.<id>.name_column": Change("right", TABLE),
        "names.<id>.id_column": Change("score", TABLE),
        "names.<id>.where": Change(["score=1"], TABLE),
        "names.<id>.semantic_types": Change(["T047"], MRCONSO),
        "shards": 3,
        "mentions": shorter("made/mentions.txt"),
        "mention_column": Change("right", HEADED),
        "gold_column": Change("score", HEADED),
        "document_column": Change("right", HEADED),
        "similarity": "dot",
        "threshold": 0.99,
        "margin": 0.5,
    },
)
CHOSEN = frozenset({"choose_settings --block"})
SEARCH_BLOCK = frozenset({"search_grid --block", "choose_settings --block"})
GRID = Section(
    base=TUNING_GRID,
    wires=SEARCH_BLOCK,
    wired={
        "cells_per_job": frozenset(
            {"search_grid --block", "search_grid gone", "choose_settings --slices"}
        ),
        "shown": frozenset({"write_table_block block", "assemble_table input"}),
        "searches.<id>.model": CHOSEN | {"search_grid --model", "search_grid input"},
        "searches.<id>.corpus": CHOSEN | {"search_grid --corpus", "sample_corpus added"},
        "searches.<id>.axes": SEARCH_BLOCK | {"choose_settings --slices", "search_grid gone"},
        "searches.<id>.dataset": SEARCH_BLOCK
        | {"search_grid --strings", "search_grid --items"}
        | {"read_dataset added", "read_dataset gone"},
    },
    changes={
        "axes": {"temperature": [0.1, 0.4], "epochs": [1, 2]},
        "cells_per_job": 4,
        "shown": ["small", "other"],
        "searches.<id>.model": "other",
        "searches.<id>.recipe": "warm",
        "searches.<id>.corpus": "repeated",
        "searches.<id>.dataset": "pairs-2",
        "searches.<id>.seeds": [55],
        "searches.<id>.set": {"batch_size": 6},
        "searches.<id>.axes": {"temperature": [0.1, 0.7]},
    },
)
SECTIONS = {"dictionaries": DICTIONARIES}
ALONE = {"tuning_grid": (GRID, "tuning_grid", ["tuning_grid", "results/tables/grid.tsv"])}
