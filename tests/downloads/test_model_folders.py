import subprocess
import sys

import pytest
from small_model import FILES, MODEL, write_folder

from tests.support.fake_hub import COMMIT
from workflow_scripts.downloads import model_folders as folders
from workflow_scripts.downloads.model_files import hub_offline_variable
from workflow_scripts.errors import UserError


def test_an_address_and_the_name_of_its_folder():
    assert folders.parse_address(f"owner/small@{COMMIT}") == MODEL
    assert MODEL.folder_name == f"owner--small@{COMMIT}"
    for wrong in ("owner/small", "owner/small@main", "../x@0123456", "a/b/c@0123456", "@0123456"):
        with pytest.raises(UserError, match=r"not a model of the hub at a commit; give id@rev"):
            folders.parse_address(wrong)


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, None),
        ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE"),
        ({"HF_HUB_OFFLINE": "true"}, "HF_HUB_OFFLINE"),
        ({"HF_HUB_OFFLINE": "0"}, None),
        ({"HF_HUB_OFFLINE": "0", "TRANSFORMERS_OFFLINE": "1"}, None),
        ({"HF_HUB_OFFLINE": "", "TRANSFORMERS_OFFLINE": "1"}, "TRANSFORMERS_OFFLINE"),
    ],
)
def test_the_hub_is_offline_by_the_variables_of_its_library(variables, found, monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert hub_offline_variable() == found
    # the library itself is the oracle
    program = "from huggingface_hub import constants; print(constants.HF_HUB_OFFLINE)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.strip() == str(found is not None)


def test_each_file_that_is_wrong_is_named(tmp_path):
    folder = write_folder(tmp_path)
    assert list(folders.problems_of_folder(folder, MODEL, with_hashes=True)) == []
    (folder / "config.json").unlink()
    (folder / "tokenizer.json").write_bytes(b"{} ")
    weights = folder / "model.safetensors"
    weights.write_bytes(b"x" + FILES["model.safetensors"][1:])
    missing, longer = folders.problems_of_folder(folder, MODEL, with_hashes=False)
    assert missing == f"{folder}/config.json: no such file"
    assert longer == f"{folder}/tokenizer.json: 3 bytes, files.json has 2"
    [_, wrong, _] = sorted(folders.problems_of_folder(folder, MODEL, with_hashes=True))
    assert wrong.startswith(f"{weights}: sha256 is ")
    other = folders.HubModel("owner/other", COMMIT)
    [problem] = folders.problems_of_folder(folder, other, with_hashes=False)
    assert f"is of owner/small@{COMMIT}, not of owner/other@{COMMIT}" in problem
    (folder / "files.json").unlink()
    [problem] = folders.problems_of_folder(folder, MODEL, with_hashes=False)
    assert problem.startswith(f"{folder}/files.json: no such file")
