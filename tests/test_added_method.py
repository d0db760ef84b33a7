"""Who follows docs/howto/add-a-method.md gets an encoder, without the head that trained it."""

import re
import shutil
import textwrap

import numpy as np
from safetensors.numpy import load_file

from workflow_scripts.embedding.encoder import load_encoder
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS
from workflow_scripts.files import read_json


def test_a_method_of_ones_own_is_a_file_and_a_line(project, run_as_written, tmp_path):
    for name in ("workflow_scripts", "config"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(project / name, tmp_path / name, ignore=ignored)
    (tmp_path / "resources").symlink_to(project / "resources")
    page = (project / "docs" / "howto" / "add-a-method.md").read_text()
    blocks = re.findall(r"^ *```\w+\n(.*?)^ *```$", page, flags=re.M | re.S)
    method, recipe, command = map(textwrap.dedent, blocks)
    methods = tmp_path / "workflow_scripts" / "tuning" / "methods"
    (methods / "two_layers.py").write_text(method)
    register = methods / "register.py"
    lines = register.read_text()
    register.write_text(lines.replace("METHODS = (\n", 'METHODS = (\n    "two-layers",\n'))
    (tmp_path / "two-layers.yaml").write_text(recipe)
    # the copy's, not this checkout's
    run_as_written(command.replace("mirror-bert", "python -m workflow_scripts"), tmp_path)

    folder = tmp_path / "two-layers"
    assert read_json(folder / "encoder.json")["recipe"]["method"] == "two-layers"
    assert "behind a head of two layers" in (folder / "README.md").read_text()
    assert not (folder / OWN_WEIGHTS).exists()
    untuned = load_file(project / "resources/models/bert-en-mini/model.safetensors")
    tuned = load_file(folder / "model.safetensors")
    assert not any("head" in name for name in tuned)
    (name,) = (key for key in tuned if key.endswith("layer.0.output.dense.weight"))
    (before,) = (values for key, values in untuned.items() if key.endswith(name))
    assert not np.array_equal(tuned[name], before)
    assert load_encoder(folder).encode(["a name"]).shape == (1, 192)
