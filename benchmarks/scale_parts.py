"""The blocks of docs/explanation/performance.md at the size of ontologies and vocabularies."""

from benchmarks import scale_workloads as ways
from benchmarks.report_columns import (
    FASTER,
    FITS,
    LOOP,
    MIB,
    PEAK,
    Part,
    Shown,
    aim,
)

GIBS, RATE = "within {:g} GiB of memory", "names_per_second"
NOT_SCALED = "Not measured; `make bench-scale` does."
EMBEDDED = {ways.TRAINER: "sentence-transformers, encode", ways.OURS: "this project, `link`"}
WHOLE = {"over": ways.FAISS, "task": "whole"}
SCALE_PARTS = {
    "linking-embedding": Part(
        "linking",
        [(label, "names", way) for way, label in EMBEDDED.items()],
        "Model {model} ({threads} threads), {names:,} names {source}, combined: all but the last "
        "word of one and the last of another.",
        [
            Shown("names", "embedded", ",.0f"),
            Shown("seconds", "making_seconds", ",.0f"),
            Shown("names a second", RATE, ",.0f"),
            Shown("names a processor second", "names_per_processor_second", ",.0f"),
            Shown("times as fast as encode", RATE, ".2f", under=ways.TRAINER),
            Shown("peak memory, MiB", "making_peak", ",.0f", scale=MIB),
        ],
        missing=NOT_SCALED,
    ),
    "linking": Part(
        "linking",
        [(label, "names", way) for way, label in ways.LINKING_WAYS.items()],
        "{mentions:,} mentions, their {k} nearest of {names:,} names, vectors of half precision "
        "on disk.",
        [
            Shown("seconds", LOOP, ",.1f"),
            Shown("processor seconds", FITS, ",.1f"),
            Shown("of FAISS's processor seconds", FITS, ".2f", under=ways.FAISS),
            Shown("of semantic_search's", FITS, ".2f", under=ways.TRAINER),
            Shown("peak memory, MiB", PEAK, ",.0f", scale=MIB),
            Shown("other links than brute force", "differing", ",.0f"),
        ],
        [
            aim(f"making the index {GIBS}", 4, "making_peak", scale=2**-30),
            aim(f"linking {GIBS}", 4, PEAK, scale=2**-30),
            aim("at most {:g} links that differ from brute force's", 0, "differing", ".0f"),
        ],
        missing=NOT_SCALED,
    ),
    "linking-wide": Part(
        "linking",
        [(label, "wide", way) for way, label in {ways.OURS: "this project"}.items()],
        "{queries:,} queries among {names:,} random vectors of {width} units, half precision on "
        "disk; the names held next to them. Of {checked} queries brute force in float32 was the "
        "measure.",
        [
            Shown("seconds", LOOP, ",.1f"),
            Shown("processor seconds", FITS, ",.1f"),
            Shown("peak memory, MiB", PEAK, ",.0f", scale=MIB),
            Shown("peak memory while they were kept, MiB", "making_peak_memory", ",.0f", scale=MIB),
            Shown("other neighbours than brute force", "differing", ",.0f"),
        ],
        [
            aim(f"keeping them {GIBS}", 4, "making_peak_memory", scale=2**-30),
            aim(f"searching them {GIBS}", 4, PEAK, scale=2**-30),
            aim("at most {:g} neighbours that differ from brute force's", 0, "differing", ".0f"),
        ],
        missing=NOT_SCALED,
    ),
    "csls": Part(
        "csls",
        [(label, share, way) for share in ways.SHARES for way, label in ways.CSLS_WAYS.items()],
        "The {k} best translations of each word, vectors of {dimension} units. Threads: {threads}.",
        [
            Shown("words a side", "words", ",.0f"),
            Shown("seconds", LOOP, ",.1f"),
            Shown("processor seconds", FITS, ",.1f"),
            Shown("times less than three FAISS passes", FITS, ".2f", over=ways.FAISS),
            Shown("than the plain way", FITS, ".2f", over=ways.PLAIN),
            Shown("growth of memory, MiB", "memory_growth", ",.0f", scale=MIB),
            Shown("share of the plain way's", "memory_growth", ".2f", under=ways.PLAIN),
            Shown("of FAISS's", "memory_growth", ".2f", under=ways.FAISS),
            Shown("other translations than the plain way", "differing", ",.0f"),
        ],
        [
            aim(f"processor seconds, {FASTER} as three FAISS passes", 1.4, FITS, **WHOLE),
            aim(
                "at most {:g} of the plain way's growth of memory",
                0.5,
                "memory_growth",
                under=ways.PLAIN,
                task="whole",
            ),
        ],
        missing=NOT_SCALED,
    ),
}
