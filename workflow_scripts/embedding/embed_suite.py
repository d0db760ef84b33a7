"""Step `embed_suite`: the vectors of the strings of data sets under one encoder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.recorded_settings import recipe_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.suite_vectors import write_suite
from workflow_scripts.errors import UserError
from workflow_scripts.imports import Device, quick_imports
from workflow_scripts.path_functions import command

if TYPE_CHECKING:
    import numpy as np


def encode(
    model: str, strings: Sequence[str], settings: EncoderSettings, threads: int, device: Device
) -> tuple["np.ndarray", dict[str, Any]]:
    """Return finite float32 [strings, dimension] of an encoder, and what made them, as JSON values.

    `model` is a folder or hub id. Raises `UserError` for vectors that are not finite.
    """
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import numpy as np

        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.string_encoding import encode_strings
        from workflow_scripts.embedding.torch_setup import set_up_torch

    loaded = load_model(model, set_up_torch(threads, device))
    loaded.warn_of_settings(settings)
    vectors = encode_strings(loaded, strings, settings, report=True)
    if not np.isfinite(vectors).all():
        raise UserError(model, "gives vectors that are not finite", "tune or fetch it again")
    made = {"dimension": vectors.shape[1], "strings": len(strings)}
    return vectors, loaded.record(settings) | made


def embed_suite(
    *,
    model: str,
    datasets: Sequence[str],
    strings: Sequence[Path],
    settings: dict[str, Any],
    output: Path,
    record: Path,
    threads: int = 1,
    device: Device = "cpu",
) -> None:
    """Write the vectors of the strings of data sets under one encoder.

    Args:
        model: model or encoder folder, or hub id
        datasets: ids of data sets; of a lexicon's side data set/side
        strings: text file of each, one string per line
        settings: of the encoder, as JSON
        output: vectors, float32 .npy; rows by data set: .npz
        record: what was embedded with what, .json
        threads: threads of torch
        device: where the model runs; auto: CUDA where there is a device
    """
    encoder_settings = recipe_settings(model, settings)

    def embed(different: list[str]) -> tuple["np.ndarray", dict[str, Any]]:
        return encode(model, different, encoder_settings, threads, device)

    write_suite(output, record, datasets, strings, embed)


main = command(embed_suite)

if __name__ == "__main__":
    run_command(main)
