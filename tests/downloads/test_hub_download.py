"""Models from a hub: the real client, in a process of its own, against a hub on this machine."""

import json

import pytest
from small_model import FILES, MODEL, file_list, run_fetch_model, write_folder
from small_registry import files_below

from tests.support.fake_hub import COMMIT, Repository, fake_hub

WEIGHTS = FILES["model.safetensors"]
OTHERS = {"pytorch_model.bin": b"pickle", "README.md": b"a card", "onnx/model.onnx": b"graph"}
OTHERS["files.json"] = b"a name that is ours"


@pytest.fixture
def hub():
    with fake_hub() as hub:
        hub.repositories["owner/small"] = Repository({**FILES, **OTHERS})
        yield hub


@pytest.fixture
def run(hub, project, tmp_path):
    """Run the command; return its status and the lines of stderr that are errors."""

    def run(*options, address=MODEL.address, **variables):
        environment = hub.environment(str(tmp_path / "home")) | variables
        return run_fetch_model(project, tmp_path, environment, address, *options)

    return run


def refused(run, tmp_path, *options, **more):
    """Return the one line of an error that leaves neither model nor record."""
    status, [line] = run(*options, **more)
    assert status == 2
    assert not (tmp_path / "record.json").exists()
    assert not list((tmp_path / "models").glob("[!.]*"))
    return line


def test_a_model_comes_whole_without_pickle_and_is_not_asked_for_again(run, hub, tmp_path):
    assert run() == (0, [])
    folder = tmp_path / "models" / MODEL.folder_name
    assert files_below(tmp_path / "models") == sorted(
        f"{MODEL.folder_name}/{name}" for name in [*FILES, "files.json"]
    )
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    record = json.loads((tmp_path / "record.json").read_text())
    assert record.pop("date")
    sorted_files = {name: FILES[name] for name in sorted(FILES)}
    assert record == {"source": f"{hub.endpoint}/owner/small", **file_list(sorted_files)}
    first = (tmp_path / "record.json").read_bytes()
    count = len(hub.requests)
    assert run(HF_HUB_OFFLINE="1") == (0, [])
    assert len(hub.requests) == count
    assert (tmp_path / "record.json").read_bytes() == first


def test_after_a_broken_download_only_what_is_not_whole_is_asked_for(run, hub, tmp_path):
    repository = hub.repositories["owner/small"]
    repository.broken["model.safetensors"] = 300_000
    line = refused(run, tmp_path)
    assert f"model {MODEL.address} of {hub.endpoint}: " in line
    assert "run again (complete files are kept)" in line
    del repository.broken["model.safetensors"]
    hub.requests.clear()
    assert run() == (0, [])
    assert len(hub.asked("GET", "model.safetensors")) == 1
    assert not hub.asked("GET", "config.json")
    assert (tmp_path / "models" / MODEL.folder_name / "model.safetensors").read_bytes() == WEIGHTS
    assert not list((tmp_path / "models").glob(".*"))


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_bytes_that_are_not_the_hub_s_are_deleted(file, run, hub, tmp_path):
    repository = hub.repositories["owner/small"]
    repository.swapped[file] = b"x" + FILES[file][1:]
    line = refused(run, tmp_path)
    assert f"{file}: bytes that do not match the hub's hash" in line
    assert files_below(tmp_path / "models") == []
    repository.swapped.clear()
    assert run() == (0, [])


@pytest.mark.parametrize(
    ("lacking", "message"),
    [
        ("model.safetensors", "has neither model.safetensors nor pytorch_model.bin at this commit"),
        ("config.json", "no config.json"),
        ("tokenizer.json", "no tokenizer.json or vocabulary"),
    ],
)
def test_a_repository_that_lacks_a_part_of_a_model(lacking, message, run, hub, tmp_path):
    hub.repositories["owner/small"].files.pop("pytorch_model.bin")
    del hub.repositories["owner/small"].files[lacking]
    line = refused(run, tmp_path)
    assert MODEL.address in line
    assert message in line
    assert files_below(tmp_path / "models") == []
    assert not hub.asked("GET", "pytorch_model.bin")


def test_what_the_hub_does_not_give_is_told_apart(run, hub, tmp_path):
    line = refused(run, tmp_path, address=f"owner/none@{COMMIT}")
    assert "there is no such model, or it is private" in line
    line = refused(run, tmp_path, address=f"owner/small@{COMMIT[::-1]}")
    assert "no such commit; fix `revision`" in line
    line = refused(run, tmp_path, HF_ENDPOINT="http://me:secret@127.0.0.1:9")
    assert "of http://127.0.0.1:9: " in line
    assert "secret" not in line
    assert "use a mirror" in line
    hub.repositories["owner/small"].gated = True
    line = refused(run, tmp_path)
    assert "HF_TOKEN" in line
    assert "request access on its page" in line
    hub.repositories["owner/small"].gated = False
    hub.requests.clear()
    assert "HF_HUB_OFFLINE is set" in refused(run, tmp_path, HF_HUB_OFFLINE="1")
    assert hub.requests == []
    assert run(address=f"owner/small@{COMMIT[:12]}") == (0, [])  # a short commit is taken
    assert (tmp_path / "models" / f"owner--small@{COMMIT[:12]}" / "model.safetensors").exists()


def test_what_a_mirror_lacks_comes_from_the_hub(run, hub, tmp_path):
    folder = write_folder(tmp_path / "mirror" / "models")
    (folder / "tokenizer.json").unlink()
    assert run("--mirror", str(tmp_path / "mirror")) == (0, [])
    assert len(hub.asked("GET", "tokenizer.json")) == 1
    # the bytes that the mirror had are right by the hash of the hub
    assert not hub.asked("GET", "model.safetensors")
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["source"] == f"{hub.endpoint}/owner/small"
