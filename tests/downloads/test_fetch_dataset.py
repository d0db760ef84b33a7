import json

import pytest
from command_words import as_argv
from faulty_server import Served
from small_registry import known, sha256

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.fetch_dataset import main
from workflow_scripts.errors import UserError

ONE = b"one\n"


@pytest.fixture
def arguments(registry_file, tmp_path, server):
    server.files["one.txt"] = Served(ONE)
    file = {"path": "a/one.txt", "url": server.url("one.txt"), **known(ONE)}
    registry = registry_file(one={"files": [file]})

    def make(name, *more):
        record = tmp_path / "results" / f"{name}.json"
        options = {"--name": name, "--registry": registry, "--root": tmp_path / "root"}
        return [*as_argv(options | {"--record": record}), *more]

    return make


def test_the_record_tells_what_is_there(arguments, tmp_path, server):
    main(arguments("one", "--mirror", ""))
    record = json.loads((tmp_path / "results/one.json").read_text())
    [file] = record["files"]
    assert file.pop("date")
    known_of = {"sha256": sha256(ONE), "size": len(ONE), "hash_known": True}
    assert file == {"path": "a/one.txt", "url": server.url("one.txt"), **known_of}
    assert (record["name"], record["licence"]) == ("one", "CC0")
    main(arguments("one", "--mirror", "--offline"))
    assert json.loads((tmp_path / "results/one.json").read_text())["files"][0]["url"] is None


def test_the_bundled_data_set_is_not_fetched_into(arguments, sample_data, server, tmp_path):
    words = arguments("one")
    words[words.index("--root") + 1] = str(sample_data)
    with pytest.raises(UserError, match=r"is the bundled data set.*a folder of your own"):
        main(words)
    assert server.requests == []
    (tmp_path / "root").write_text("")
    with pytest.raises(UserError, match=r"--root .*is not a folder"):
        main(arguments("one"))


def test_a_root_that_cannot_be_written_is_one_line(arguments, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    words = arguments("one")
    words[words.index("--root") + 1] = str(tmp_path / "file" / "root")
    with pytest.raises(SystemExit):
        run_command(lambda: main(words))
    said = f"error: {tmp_path}/file/root: cannot be used (Not a directory); fix that"
    assert said in capsys.readouterr().err
