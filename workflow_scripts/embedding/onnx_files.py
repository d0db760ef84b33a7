"""Where the ONNX files of an encoder folder are, for those who have not loaded ONNX Runtime."""

from pathlib import Path

from workflow_scripts.errors import UserError

# Key of a file's metadata that holds the SHA-256 of the weights it was made from.
WEIGHTS_KEY = "weights_sha256"


def onnx_file(folder: Path, int8: bool) -> Path:
    """Return the path of an encoder folder's ONNX file, where sentence-transformers looks."""
    return folder / "onnx" / ("model_quantized.onnx" if int8 else "model.onnx")


def find_onnx_file(folder: Path, int8: bool) -> Path:
    """Return the path of the ONNX file; `UserError` with the command that makes it if missing."""
    path = onnx_file(folder, int8)
    if not path.is_file():
        command = f"python -m workflow_scripts.export_onnx --encoder {folder}"
        raise UserError(f"{path}: no such file; make it with: {command}{' --int8' if int8 else ''}")
    return path
