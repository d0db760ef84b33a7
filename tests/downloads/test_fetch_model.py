"""Models from folders, mirrors and not at all; those of the hub are in test_hub_download.py."""

import json
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from command_words import as_argv
from faulty_server import Served
from small_model import FILES, MODEL, file_list, write_folder
from small_registry import files_below

from workflow_scripts.downloads.fetch_model import main
from workflow_scripts.downloads.mirrors import open_mirror
from workflow_scripts.downloads.model_fetching import fetch_model
from workflow_scripts.downloads.model_folders import problems_of_folder
from workflow_scripts.errors import UserError

WEIGHTS = FILES["model.safetensors"]
WHOLE = sorted([*FILES, "files.json"])


@pytest.fixture(autouse=True)
def no_hub(monkeypatch):
    """A model that a test does not offer is an error, not a request to the internet."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def models(tmp_path):
    return tmp_path / "here" / "models"


@pytest.fixture
def arguments(models, tmp_path):
    record = tmp_path / "record.json"
    return as_argv({"--model": MODEL.address, "--folder": models, "--record": record})


def serve(server, files=FILES, listed=None, **faults):
    base = f"mirror/models/{MODEL.folder_name.replace('@', '%40')}"
    contents = {**files, "files.json": json.dumps(listed or file_list()).encode()}
    for name, body in contents.items():
        server.files[f"{base}/{name}"] = Served(body, **faults.get(name, {}))
    return base


def test_a_wrong_file_is_named_with_the_remedy_and_left(arguments, models, tmp_path):
    folder = write_folder(models)
    (folder / "model.safetensors").write_bytes(b"x" + WEIGHTS[1:])
    (folder / "config.json").unlink()
    with pytest.raises(UserError) as error:
        main(arguments)
    message = str(error.value)
    assert "\n" not in message
    assert f"{folder}/model.safetensors: sha256 is" in message
    assert f"{folder}/config.json: no such file" in message
    assert message.endswith(f"; delete the folder {folder} and fetch it again")
    assert not (tmp_path / "record.json").exists()
    assert (folder / "model.safetensors").exists()


@pytest.mark.parametrize("kind", ["folder", "file", "http"])
def test_a_model_from_a_mirror(kind, models, tmp_path, server, policy):
    if kind == "http":
        serve(server)
        location = server.url("mirror/")
    else:
        write_folder(tmp_path / "mirror" / "models")
        location = str(tmp_path / "mirror")
        location = f"file://{location}" if kind == "file" else location
    found = fetch_model(MODEL, models, open_mirror(location), offline=kind != "http", policy=policy)
    folder = models / MODEL.folder_name
    assert files_below(models) == [f"{MODEL.folder_name}/{name}" for name in WHOLE]
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    content = json.loads((folder / "files.json").read_text())
    assert content == found.as_json()
    assert content["files"] == file_list()["files"]
    assert content["date"]
    assert "mirror/models/" in content["source"]
    # the record of a later check is the same, so that nothing after it runs again
    assert fetch_model(MODEL, models) == found
    with pytest.raises(UserError, match=r"--offline with --mirror http://x: .* give a folder"):
        fetch_model(MODEL, models, open_mirror("http://x"), offline=True)


def test_a_model_is_not_brought_into_a_linked_folder(models, tmp_path):
    write_folder(tmp_path / "mirror" / "models")
    victim = tmp_path / "victim"
    victim.mkdir()
    models.mkdir(parents=True)
    (models / f".{MODEL.folder_name}.part").symlink_to(victim)
    fetch_model(MODEL, models, open_mirror(str(tmp_path / "mirror")), offline=True)
    assert files_below(models) == [f"{MODEL.folder_name}/{name}" for name in WHOLE]
    assert not list(victim.iterdir())


def test_a_broken_download_from_a_mirror_goes_on_where_it_ended(models, server, policy):
    base = serve(server, **{"model.safetensors": {"cut": (300_000, 2)}})
    fetch_model(MODEL, models, open_mirror(server.url("mirror")), policy=policy)
    ranges = [None, "bytes=300000-", "bytes=600000-"]
    assert server.ranges_asked(f"{base}/model.safetensors") == ranges
    assert (models / MODEL.folder_name / "model.safetensors").read_bytes() == WEIGHTS


def test_a_given_up_download_waits_for_a_next_run_and_whole_files_are_kept(models, server, policy):
    base = serve(server, **{"tokenizer.json": {"refusal": (503, 99)}})
    mirror = open_mirror(server.url("mirror"))
    with pytest.raises(UserError, match=r"tokenizer.json: given up after 3 attempts"):
        fetch_model(MODEL, models, mirror, policy=policy)
    assert not (models / MODEL.folder_name).exists()
    serve(server)
    fetch_model(MODEL, models, mirror, policy=policy)
    assert files_below(models) == [f"{MODEL.folder_name}/{name}" for name in WHOLE]
    assert len(server.asked(f"{base}/model.safetensors")) == 1


def test_wrong_bytes_of_a_mirror_are_refused(models, server, policy):
    for sent, message in [
        (b"x" + WEIGHTS[1:], r"model.safetensors: sha256 is .*, expected "),
        (WEIGHTS[:-1], r"model.safetensors: the server's file has 767999 bytes, expected 768000"),
    ]:
        serve(server, files={**FILES, "model.safetensors": sent})
        with pytest.raises(UserError, match=message):
            fetch_model(MODEL, models, open_mirror(server.url("mirror")), policy=policy)
        assert not any("model.safetensors" in file for file in files_below(models))


def test_offline_a_missing_model_is_one_error(arguments, models, tmp_path, monkeypatch):
    with pytest.raises(UserError, match=r"HF_HUB_OFFLINE is set.*with HF_HUB_OFFLINE=0"):
        main(arguments)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    with pytest.raises(UserError) as error:
        main([*arguments, "--offline"])
    message = str(error.value)
    assert f"model {MODEL.address}, offline: {models / MODEL.folder_name} is missing;" in message
    assert "snakemake fetch_all" in message
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    with pytest.raises(UserError, match=r"is missing, and the mirror lacks it"):
        main([*arguments, "--offline", "--mirror", str(mirror)])
    assert files_below(tmp_path) == []


def test_an_incomplete_mirror_is_said_and_the_model_missing(models, tmp_path, capsys):
    folder = write_folder(tmp_path / "mirror" / "models")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(UserError, match=r"offline: .* is missing, and the mirror lacks it"):
        fetch_model(MODEL, models, open_mirror(str(tmp_path / "mirror")), offline=True)
    assert "the mirror is incomplete: " in capsys.readouterr().err
    assert not (models / MODEL.folder_name).exists()


def test_a_file_in_the_place_of_the_folder_is_refused(arguments, models, tmp_path):
    models.parent.mkdir()
    models.write_text("")
    with pytest.raises(UserError, match=r"--folder .*/models: is not a folder"):
        main(arguments)
    assert files_below(tmp_path) == ["here/models"]


def test_checking_a_folder_loads_no_library_of_models(arguments, models, project):
    write_folder(models)
    program = (
        "import sys; from workflow_scripts.downloads.fetch_model import main; main(sys.argv[1:]); "
        "print({'torch', 'transformers', 'huggingface_hub', 'requests'} & {*sys.modules})"
    )
    command = [sys.executable, "-c", program, *arguments]
    assert subprocess.check_output(command, cwd=project) == b"set()\n"


def without(name):
    return {other: body for other, body in FILES.items() if other != name}


def more(name):
    """The list of a model with one more file."""
    return file_list({"a.json": b"{}", **FILES, name: b"import os"})


def changed(**keys):
    content = file_list()
    content["files"][0] |= keys
    return content


def shards(content):
    """The files of a model with an index of shards instead of weights, and their list."""
    content = json.dumps(content if isinstance(content, list) else {"weight_map": content})
    files = {**without("model.safetensors"), "model.safetensors.index.json": content.encode()}
    return files, file_list(files)


NO_FILE = "which is not a file of weights next to it"
OF_A_MODEL = "is not of the files that make a model"
BELOW, SOURCE = "is not a relative path", "take the list of a model's files from where"


@pytest.mark.parametrize(
    ("files", "listed", "message"),
    [
        (without("model.safetensors"), None, "no model.safetensors"),
        *((FILES, more(name), OF_A_MODEL) for name in ("pytorch_model.bin", "a.py", "files.json")),
        (FILES, more("a.json/b.json"), "as a folder"),
        (FILES, changed(name="../../outside"), "`files.0.name` is '../../outside'; "),
        (FILES, changed(name="/etc/passwd"), BELOW),
        (FILES, changed(name=3), "`files.0.name` is 3; give text"),
        (FILES, changed(sha256="abc"), "`files.0.sha256` is 'abc'"),
        (FILES, changed(size="3"), "`files.0.size` is '3'"),
        (FILES, changed(size=-1), "`files.0.size` is -1; give a number of 0"),
        (FILES, file_list({}), SOURCE),
        (FILES, [], SOURCE),
        (FILES, {"repository": "owner/small"}, SOURCE),
        (*shards({"w": "../../outside.safetensors"}), "'../../outside.safetensors', " + NO_FILE),
        (*shards({"w": "/tmp/outside.safetensors"}), NO_FILE),
        (*shards({"w": "model.bin"}), f"names 'model.bin', {NO_FILE}"),
        (*shards({"w": 3}), f"names '3', {NO_FILE}"),
        (*shards({"w": "two.safetensors"}), "no two.safetensors, which model.safetensors.index"),
        (*shards([]), "model.safetensors.index.json has no `weight_map`"),
        (*shards({}), "model.safetensors.index.json has no `weight_map`"),
    ],
)
def test_a_mirror_whose_model_is_wrong_is_refused_in_one_line(
    models, tmp_path, files, listed, message
):
    mirror = tmp_path / "mirror"
    (tmp_path / "outside.safetensors").write_bytes(b"")
    folder = write_folder(mirror / "models", files)
    listed = file_list(files) if listed is None else listed
    (folder / "files.json").write_text(json.dumps(listed))
    with pytest.raises(UserError, match=re.escape(message)) as error:
        fetch_model(MODEL, models, open_mirror(str(mirror)), offline=True)
    assert "\n" not in str(error.value) and len(str(error.value)) < 1000
    assert files_below(tmp_path / "here") == []
    if files is FILES:
        # the same of a folder that is there
        [problem] = problems_of_folder(folder, MODEL, with_hashes=False)
        assert str(folder / "files.json") in problem and message in problem


def test_shards_are_files_of_the_folder(models, tmp_path):
    files, _ = shards({"w": "one.safetensors"})
    files["one.safetensors"] = b"x"
    write_folder(tmp_path / "mirror" / "models", files, file_list(files))
    assert fetch_model(MODEL, models, open_mirror(str(tmp_path / "mirror")), offline=True)


def test_a_mirror_s_list_is_bounded(models, server, policy):
    base = serve(server)
    server.files[f"{base}/files.json"] = Served(b" " * 10**6 + b"{}")
    with pytest.raises(UserError, match=r"files.json: the server's file has .*at most 1000000"):
        fetch_model(MODEL, models, open_mirror(server.url("mirror")), policy=policy)


def test_two_fetches_of_a_model_are_one_after_the_other(models, server, policy):
    begun, other = threading.Event(), threading.Event()
    base = serve(server)

    def halfway():
        begun.set()
        other.wait(0.5)

    server.files[f"{base}/model.safetensors"].halfway = halfway
    mirror = open_mirror(server.url("mirror"))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(fetch_model, MODEL, models, mirror, policy=policy)
        assert begun.wait(10)
        second = pool.submit(fetch_model, MODEL, models, mirror, policy=policy)
        assert first.result() == second.result()
    assert len(server.asked(f"{base}/model.safetensors")) == 1
    assert files_below(models) == [f"{MODEL.folder_name}/{name}" for name in WHOLE]


def test_a_mirror_s_password_is_not_recorded(models, server, policy):
    serve(server)
    address = server.url("mirror?token=secret").replace("//", "//user:secret@")
    found = fetch_model(MODEL, models, open_mirror(address), policy=policy)
    assert found.source == server.url(f"mirror/models/{MODEL.folder_name.replace('@', '%40')}")
    assert b"secret" not in (models / MODEL.folder_name / "files.json").read_bytes()
