import json
import subprocess
import sys

import pytest
from faulty_server import Served
from small_registry import files_below, known, sha256

from workflow_scripts.downloads.fetch_dataset import main
from workflow_scripts.errors import UserError

ONE = b"one\n"


@pytest.fixture
def arguments(registry_file, tmp_path, server):
    server.files["one.txt"] = Served(ONE)
    registry = registry_file(
        one={"files": [{"path": "a/one.txt", "url": server.url("one.txt"), **known(ONE)}]},
        closed={"files": [{"path": "c/x"}], "gated": True, "obtain": "ask https://example.org"},
    )

    def make(name, *more):
        record = tmp_path / "results" / f"{name}.json"
        options = {"--name": name, "--registry": registry, "--root": tmp_path / "root"}
        words = [str(word) for option in options.items() for word in option]
        return [*words, "--record", str(record), *more]

    return make


def test_the_record_tells_what_is_there(arguments, tmp_path, server):
    main(arguments("one", "--mirror", ""))
    record = json.loads((tmp_path / "results/one.json").read_text())
    [file] = record["files"]
    assert file.pop("date")
    assert file == {
        "path": "a/one.txt",
        "url": server.url("one.txt"),
        "sha256": sha256(ONE),
        "size": len(ONE),
    }
    assert record["name"] == "one"
    assert record["licence"] == "CC0"
    main(arguments("one", "--mirror", "--offline"))
    assert json.loads((tmp_path / "results/one.json").read_text())["files"][0]["url"] is None


def test_a_mistake_is_one_line_with_status_2_and_no_record(arguments, tmp_path, project):
    command = [sys.executable, "-m", "workflow_scripts.downloads.fetch_dataset"]
    for name, message in [
        ("closed", "error: data set 'closed' cannot be downloaded: ask https://example.org; 1"),
        ("ones", "no data set 'ones'; did you mean 'one'?"),
    ]:
        result = subprocess.run(
            [*command, *arguments(name)], cwd=project, capture_output=True, text=True
        )
        assert result.returncode == 2
        [line] = result.stderr.splitlines()
        assert message in line
    assert files_below(tmp_path) == ["registry.yaml"]


def test_a_root_that_is_a_file_is_refused(arguments, tmp_path):
    (tmp_path / "root").write_text("")
    with pytest.raises(UserError, match=r"--root .*is not a folder"):
        main(arguments("one"))


def test_the_embedded_data_set_is_not_fetched_into(arguments, sampler, server):
    words = arguments("one")
    words[words.index("--root") + 1] = str(sampler)
    with pytest.raises(UserError, match=r"is the embedded data set.*a folder of your own"):
        main(words)
    assert server.requests == []


def test_without_a_download_no_http_library_is_loaded(arguments, project):
    main(arguments("one"))
    program = (
        "import sys; from workflow_scripts.downloads.fetch_dataset import main; "
        "main(sys.argv[1:]); print('requests' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments("one")],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "False\n"
