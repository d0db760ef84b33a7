"""Options of the benchmarks: data, model, threads, how much and how often."""

import argparse
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError

MODEL = Path(__file__).resolve().parents[1] / "resources" / "models" / "bert-en-mini"
# Of the model that is made for a GPU.
BERT_BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
BERT_BASE |= {"intermediate_size": 3072, "max_position_embeddings": 512}
QUICK = {"runs": 1, "batch_size": 8, "steps": 1, "warmup_steps": 1, "strings": 64, "names": 120}
QUICK |= {"gpu_names": 120, "encode_batch_sizes": (32,)}
QUICK |= {"ontology_names": 600, "mentions": 20, "vocabulary": 300}


def _option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": f"{text} ({default})"})


@dataclass(frozen=True)
class Settings:
    """Settings of a benchmark; the defaults are those of docs/explanation/performance.md."""

    data: Path
    model: Path = MODEL
    threads: int = _option(2, "of each run")
    seed: int = _option(33, "of strings and tuning")
    runs: int = _option(5, "of each way")
    batch_size: int = 200
    steps: int = _option(10, "timed in a run")
    warmup_steps: int = _option(2, "before them")
    strings: int = _option(10_000, "to draw from or to tune on")
    names: int = _option(20_000, "to embed")
    gpu_names: int = _option(1_000_000, "to embed on a GPU")
    ontology_names: int = _option(4_000_000, "to link to")
    mentions: int = _option(2_000, "to link")
    vocabulary: int = _option(100_000, "words of a language")
    # of sentence-transformers, tried once each to find its best
    encode_batch_sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    # of the section gpu; `peak` in FLOP/s where that of the device is not known
    device: str = "cuda"
    peak: float | None = None
    shape: dict[str, int] = field(default_factory=lambda: BERT_BASE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="data root with real strings")
    parser.add_argument("--model", type=Path, default=MODEL, help="model folder")
    for key in fields(Settings):
        if key.metadata:
            name = f"--{key.name.replace('_', '-')}"
            parser.add_argument(name, type=int, default=key.default, help=key.metadata["help"])
    parser.add_argument("--peak", type=float, help="FLOP/s of the GPU, where it is not known")
    parser.add_argument("--quick", action="store_true", help="go through everything once, tiny")


def read_settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of parsed arguments; `UserError` for a number or folder that is wrong."""
    known = {key.name for key in fields(Settings)}
    given = {key: value for key, value in vars(arguments).items() if key in known}
    for key, value in given.items():
        if type(value) is int and value < 1 and key != "seed":
            raise UserError(f"--{key.replace('_', '-')} {value}", "give 1 or more", None)
        if isinstance(value, Path) and not value.is_dir():
            raise UserError(f"--{key} {value}", "no such folder", "give another")
    settings = Settings(**given)
    return replace(settings, **QUICK) if arguments.quick else settings
