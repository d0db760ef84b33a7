"""Command: add ONNX files to an encoder folder."""

from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.path_functions import command

EXAMPLE = """
COMMAND --encoder my-encoder --int8
"""


def export_onnx(*, encoder: Path, int8: bool = False) -> None:
    """Add ONNX files to an encoder folder, for ONNX Runtime and sentence-transformers.

    onnx/model.onnx holds the model in float32. onnx/model_quantized.onnx (--int8) has int8 weights
    in its matrix products: faster on a CPU, with nearly the same vectors.

    Args:
        encoder: encoder folder to add to
        int8: also write the int8 file
    """
    if not encoder.is_dir():
        raise UserError(f"--encoder {encoder}", "no such folder", "give a local one")
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    from workflow_scripts.embedding import onnx_export
    from workflow_scripts.embedding.encoder_folder import load_model

    written = [onnx_export.export_onnx(load_model(str(encoder)), encoder)]
    if int8:
        written.append(onnx_export.quantize_onnx(encoder))
    for path in written:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


main = command(export_onnx, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
