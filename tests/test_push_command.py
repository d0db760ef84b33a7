"""Command `push` and `Encoder.push_to_hub`: the real client, against a hub on this machine."""

import os
import re
import subprocess
import sys

import pytest
from huggingface_hub import ModelCard
from tiny_models import encoder, one_thread, tiny_roberta

import mirror_bert
from tests.support.fake_hub import TOKEN, fake_hub
from workflow_scripts.embedding.hub_upload import push_folder

__all__ = ["encoder", "one_thread", "tiny_roberta"]

CARD = "---\nlibrary_name: sentence-transformers\nlicense: mit\n---\n\n# an encoder\n"


@pytest.fixture
def folder(encoder):
    (encoder / "README.md").write_text(CARD)
    (encoder / "notes.txt").write_text("mine, for nobody else")
    return encoder


@pytest.fixture
def hub():
    with fake_hub() as hub:
        yield hub


@pytest.fixture
def run(hub, tmp_path):
    """Run a Python program or the command; return its status and what it printed."""

    def run(*words, program=None, **variables):
        environment = {**os.environ, **hub.environment(str(tmp_path / "home"))}
        environment |= {"HF_TOKEN": TOKEN, **variables}
        start = ["-c", program] if program else ["-m", "workflow_scripts", "push"]
        result = subprocess.run(
            [sys.executable, *start, *map(str, words)],
            **{"env": environment, "capture_output": True, "text": True},
        )
        return result.returncode, result.stdout, result.stderr

    return run


def test_an_encoder_is_uploaded_with_its_card(run, hub, folder):
    words = ["--private", "--license", "apache-2.0", "--language", "en", "fr"]
    status, printed, _ = run(folder, "owner/mine", *words, "--datasets", "a/b")
    assert status == 0
    assert f"encoder uploaded to {hub.endpoint}/owner/mine" in printed
    repository = hub.repositories["owner/mine"]
    assert repository.private
    # what is not part of an encoder is not uploaded
    expected = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert set(repository.files) == expected - {"notes.txt"}
    assert all(body == (folder / name).read_bytes() for name, body in repository.files.items())
    metadata = ModelCard(repository.files["README.md"].decode()).data.to_dict()
    assert metadata == {
        "library_name": "sentence-transformers",
        **{"license": "apache-2.0", "language": ["en", "fr"], "datasets": ["a/b"]},
    }
    # once more, into the repository that is there
    assert run(folder, "owner/mine")[0] == 0
    assert repository.private


def test_an_encoder_in_memory_is_uploaded(run, hub, folder):
    program = (
        "import sys, mirror_bert\n"
        "encoder = mirror_bert.load(sys.argv[1], device='cpu')\n"
        "print(encoder.push_to_hub('owner/mine', language='en', base_model='a/base'))\n"
    )
    status, printed, error = run(folder, program=program)
    assert (status, printed) == (0, f"{hub.endpoint}/owner/mine\n"), error
    repository = hub.repositories["owner/mine"]
    assert not repository.private
    weights = (folder / "model.safetensors").read_bytes()
    assert repository.files["model.safetensors"] == weights
    card = ModelCard(repository.files["README.md"].decode())
    assert (card.data.language, card.data.base_model) == (["en"], "a/base")
    assert card.data.license == "mit"


@pytest.mark.parametrize(
    ("repository", "variables", "message"),
    [
        ("owner/mine", {"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set, .*; set HF_HUB_OFFLINE=0"),
        ("owner/mine", {"HF_TOKEN": ""}, "no hub token .*; run `hf auth login`, or set HF_"),
        ("owner/mine", {"HF_TOKEN": "hf_other"}, "the hub refuses this token; set HF_TOKEN to"),
        ("other/mine", {}, "the hub refuses this token; set HF_TOKEN to"),
        ("owner/mine/x", {}, "not an id of the hub; give owner/name"),
        ("owner/mine", {"HF_ENDPOINT": "http://127.0.0.1:9"}, "the hub cannot be reached"),
    ],
)
def test_a_refusal_is_one_line(repository, variables, message, run, hub, folder):
    status, printed, error = run(folder, repository, **variables)
    assert (status, printed) == (2, "")
    lines = error.splitlines()
    assert len(lines) == 1
    assert re.search(rf"repository {repository}: {message}", lines[0]), lines
    assert not hub.repositories


def test_what_is_no_encoder_is_not_uploaded(tiny_roberta, folder, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with pytest.raises(mirror_bert.UserError, match=r"no encoder; give a folder that tune or"):
        push_folder(tiny_roberta, "owner/mine")
    with pytest.raises(mirror_bert.UserError, match=r"no config\.json"):
        push_folder(tmp_path / "nothing", "owner/mine")
    (folder / "README.md").write_text("---\na: [\n---\n")
    with pytest.raises(mirror_bert.UserError, match=r"README.md: the front matter is malformed"):
        push_folder(folder, "owner/mine")
