"""Command: add ONNX files to an encoder folder, for ONNX Runtime and sentence-transformers.

onnx/model.onnx holds the model in float32, onnx/model_quantized.onnx (--int8) with the weights of
its matrix products in int8: faster on a CPU, vectors nearly the same.
"""

from pathlib import Path

from workflow_scripts.cli import command_parser
from workflow_scripts.errors import UserError, run_command

EXAMPLE = """
COMMAND --encoder my-encoder --int8
"""


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("export_onnx", __doc__, EXAMPLE)
    parser.add_argument("--encoder", required=True, type=Path, help="encoder folder to add to")
    parser.add_argument("--int8", action="store_true", help="write the int8 file as well")
    arguments = parser.parse_args(argv)
    if not arguments.encoder.is_dir():
        raise UserError(f"--encoder {arguments.encoder}", "no such folder", "give a local one")
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    from workflow_scripts.embedding.encoder_folder import load_model
    from workflow_scripts.embedding.onnx_export import export_onnx, quantize_onnx

    written = [export_onnx(load_model(str(arguments.encoder)), arguments.encoder)]
    if arguments.int8:
        written.append(quantize_onnx(arguments.encoder))
    for path in written:
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    run_command(main)
