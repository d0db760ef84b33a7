"""Make an encoder folder half as large, to ship it: float16, without what training kept next to it.

The encoders of resources/models were made so from those of config/cmlm_models.yaml:

    python -m bundled_models.ship_encoder --encoder results/encoders/bert-en/cmlm/text-en/seed33
        --output resources/models/cmlm-en-mini

config.json still says float32, so that libraries compute in it.
"""

import json
import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.model_files import check_replaceable
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS, weights_sha256
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory, write_json
from workflow_scripts.path_functions import command


def ship_encoder(encoder: Path, output: Path) -> None:
    """Make an encoder folder half as large: float16, without what training kept in it.

    The output is written whole or not at all. Raises `UserError` without an encoder.

    Args:
        encoder: encoder folder
        output: folder to write
    """
    if not (encoder / "encoder.json").is_file():
        raise UserError(encoder, "no encoder.json", "give a folder that tuning made")
    record = json.loads((encoder / "encoder.json").read_text(encoding="utf-8"))
    check_replaceable("--output", output)
    with atomic_directory(output) as temporary:
        left_out = shutil.ignore_patterns(OWN_WEIGHTS)
        shutil.copytree(encoder, temporary, ignore=left_out, dirs_exist_ok=True)
        weights = temporary / "model.safetensors"
        halves = {name: one.half() for name, one in load_file(weights).items()}
        save_file(halves, weights, metadata={"format": "pt"})
        record.pop("training_modules_sha256", None)
        record |= {"made_of_weights_sha256": record["weights_sha256"], "stored": "float16"}
        write_json(
            temporary / "encoder.json", record | {"weights_sha256": weights_sha256(temporary)}
        )
        weights.chmod((temporary / "config.json").stat().st_mode)


main = command(ship_encoder)

if __name__ == "__main__":
    run_command(main)
