"""The addresses of data sets and models are asked for their headers, and nothing is downloaded."""

import re
import socket

import pytest
from faulty_server import Served
from small_registry import known

from tests.support.fake_hub import COMMIT, Repository, fake_hub
from workflow_scripts.downloads.check_fetch import main
from workflow_scripts.downloads.reachability import Answer, ask
from workflow_scripts.errors import UserError

BODY = b"ten bytes."


def leading(status, target):
    """What leads to another path."""
    return Served(b"", refusal=(status, 99), headers={"Location": f"/{target}"})


@pytest.fixture
def web(server):
    server.files |= {
        **{name: Served(BODY) for name in ("here.txt", "a.zip")},
        "no-head.txt": Served(BODY, head_status=404),
        "length-by-range.txt": Served(BODY, head_length=False),
        "no-length.txt": Served(BODY, length="none", ranges=False),
        "busy-once.txt": Served(BODY, refusal=(503, 1)),
        "old.txt": leading(301, "here.txt"),
        "older.txt": leading(308, "old.txt"),
        "cdn.txt": leading(302, "here.txt"),
        "old-and-gone.txt": leading(301, "absent.txt"),
        "nowhere.txt": Served(b"", refusal=(302, 99), headers={"Location": "http://[::1"}),
    }
    return server


@pytest.fixture
def silent():
    """The address of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/file.txt"


@pytest.mark.parametrize(
    ("path", "size", "moved_to", "problem"),
    [
        ("here.txt", 10, None, None),
        ("no-head.txt", 10, None, None),
        ("length-by-range.txt", 10, None, None),
        ("no-length.txt", None, None, None),
        ("busy-once.txt", 10, None, None),
        ("old.txt", 10, "here.txt", None),
        ("older.txt", 10, "here.txt", None),
        ("cdn.txt", 10, None, None),
        ("absent.txt", None, None, "the server answers 404 Not Found"),
        ("old-and-gone.txt", None, "absent.txt", "the server answers 404 Not Found"),
        ("nowhere.txt", None, None, "no answer (Invalid IPv6 URL)"),
    ],
)
def test_what_an_address_answers(path, size, moved_to, problem, web):
    assert ask(web.url(path), 5.0) == Answer(size, moved_to and web.url(moved_to), problem)
    # no more than a byte of the body
    asked = [headers for _, headers in web.requests if headers["method"] == "GET"]
    assert {headers.get("Range") for headers in asked} <= {"bytes=0-0"}


def test_a_silent_server_a_closed_port_and_files(silent, tmp_path):
    assert ask(silent, 0.2).problem == "no answer within 0.2 s"
    assert ask("http://127.0.0.1:9/file.txt", 5.0).problem.startswith("no answer (")
    (tmp_path / "file.txt").write_bytes(BODY)
    assert ask((tmp_path / "file.txt").as_uri(), 5.0) == Answer(10)
    assert ask((tmp_path / "none.txt").as_uri(), 5.0) == Answer(problem="no such file")


def table(capsys):
    """Return the fields of the lines that were printed, and the line of totals."""
    header, *rows, totals = capsys.readouterr().out.splitlines()
    assert header.split() == ["name", "size", "known", "by", "answer", "address"]
    return [re.split(r"  +", row) for row in rows], totals


def test_a_table_of_all_addresses_and_an_error_where_one_fails(web, registry_file, capsys):
    url = web.url
    files = [{"path": "one.txt", "url": url("here.txt"), **known(BODY)}]
    member = {"member": "two.txt", "path": "two.txt"}
    archives = [{"url": url("a.zip"), "members": [member]}]
    moved = {"files": [{"path": "three.txt", "url": url("old.txt")}]}
    good = {"a-set": {"files": files, "archives": archives}, "moved": moved}
    main(["--registry", str(registry_file(**good))])
    rows, totals = table(capsys)
    assert rows == [
        ["a-set", "10 B", "bytes", "ok", url("here.txt")],
        ["a-set", "10 B", "nothing", "ok", url("a.zip")],
        ["moved", "10 B", "nothing", "moved", f"{url('old.txt')} (to {url('here.txt')})"],
    ]
    assert totals == (
        "3 of 3 addresses are reachable, 30 B in all, 0 of unknown length, 1 moved, "
        "1 known by bytes, 0 known by public code, 2 known by nothing."
    )

    other = {"path": "four.txt", "url": url("here.txt?v=2"), **known(b"other")}
    absent = {"path": "five.txt", "url": url("absent.txt")}
    unknown = {"path": "six.txt", "url": url("no-length.txt")}
    gated = {"gated": True, "obtain": "ask", "files": [{"path": "seven.txt"}]}
    sets = {**good, "bad": {"files": [other, absent, unknown]}, "by-hand": gated}
    with pytest.raises(UserError, match=r"2 of 3 addresses .*first .*/here.txt\?v=2; fix"):
        main(["--registry", str(registry_file(**sets)), "--names", "bad", "by-hand"])
    rows, totals = table(capsys)
    assert [row[3] for row in rows] == ["fails", "fails", "ok"]
    assert rows[0][4].endswith("(has 10 bytes, the registry 5)")
    assert rows[1][4].endswith("(the server answers 404 Not Found)")
    assert totals.startswith("1 of 3 addresses are reachable, 0 B in all, 1 of unknown length")


def test_an_address_may_fail_where_another_of_the_same_bytes_answers(web, registry_file, capsys):
    urls = [web.url("absent.txt"), web.url("here.txt")]
    file = {"path": "one.txt", "url": urls, **known(BODY)}
    main(["--registry", str(registry_file(**{"a-set": {"files": [file]}}))])
    rows, totals = table(capsys)
    assert [row[3] for row in rows] == ["fails", "ok"]
    assert totals.startswith("1 of 2 addresses are reachable, 10 B in all, 0 of unknown length")
    # the bytes are counted once, and both addresses named where none answers
    file["url"] = [web.url("here.txt"), web.url("old.txt")]
    main(["--registry", str(registry_file(**{"a-set": {"files": [file]}}))])
    assert table(capsys)[1].startswith("2 of 2 addresses are reachable, 10 B in all")
    file["url"] = [web.url("absent.txt"), web.url("none.txt")]
    with pytest.raises(UserError, match="2 of 2 addresses are wrong"):
        main(["--registry", str(registry_file(**{"a-set": {"files": [file]}}))])


def test_what_is_known_of_files_and_members_beforehand(web, registry_file, capsys):
    url, hashed = web.url("here.txt"), {"sha256": known(BODY)["sha256"]}
    member = {"member": "x", "path": "d"}
    sets = {
        "verified": {"files": [{"path": "a", "url": url, **known(BODY)}]},
        "by-others": {"files": [{"path": "b", "url": url, **hashed}]},
        "unknown": {"files": [{"path": "c", "url": url}]},
        "members": {"archives": [{"url": web.url("a.zip"), "members": [member | known(BODY)]}]},
    }
    main(["--registry", str(registry_file(**sets))])
    rows, totals = table(capsys)
    assert [row[2] for row in rows] == ["bytes", "public code", "nothing", "bytes"]
    assert totals.endswith("2 known by bytes, 1 known by public code, 1 known by nothing.")


def test_a_report_has_the_table_also_where_an_address_fails(web, registry_file, capsys, tmp_path):
    report = tmp_path / "new" / "check.txt"
    files = [{"path": "a", "url": web.url("absent.txt")}]
    with pytest.raises(UserError, match="1 of 1 addresses"):
        main(["--registry", str(registry_file(x={"files": files})), "--report", str(report)])
    head, blank, *lines = report.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"check_fetch, 20\S+, Python \S+, requests \S+, huggingface_hub \S+", head)
    assert blank == ""
    assert "\n".join(lines) == capsys.readouterr().out.rstrip("\n")


def test_models_of_the_hub_with_what_would_be_fetched_of_them(monkeypatch, capsys, registry_file):
    main_files = {"config.json": b"{}", "tokenizer.json": b"{}"}
    repositories = {
        "owner/new": main_files | {"model.safetensors": bytes(1000), "pytorch_model.bin": b"x"},
        "owner/old": main_files | {"pytorch_model.bin": bytes(2000), "tf_model.h5": b"x"},
        "owner/tf": main_files | {"tf_model.h5": b"x"},
        "owner/asked": main_files | {"model.safetensors": bytes(1000)},
    }
    with fake_hub() as hub:
        hub.repositories |= {name: Repository(files) for name, files in repositories.items()}
        hub.repositories["owner/asked"].gated = True
        for name in ("ENDPOINT", "HF_HUB_OFFLINE"):
            monkeypatch.setattr(
                f"huggingface_hub.constants.{name}", hub.endpoint if name == "ENDPOINT" else False
            )
        monkeypatch.setattr(
            "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE",
            hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}",
        )
        names = [f"{name}@{COMMIT}" for name in [*repositories, "owner/none"]]
        options = ["--registry", str(registry_file(x={"files": [{"path": "x", "url": "file:/x"}]}))]
        with pytest.raises(UserError, match="3 of 5 addresses are wrong"):
            main([*options, "--names", "--models", *names, "--confirmed", names[0]])
        assert not [
            path for method, path, _ in hub.requests if method == "GET" and "/resolve/" in path
        ]
    rows, _ = table(capsys)
    assert [row[1:4] for row in rows] == [
        ["1.0 kB", "public code", "ok"],
        ["2.0 kB", "nothing", "ok"],
        *[["?", "nothing", "fails"]] * 3,
    ]
    assert "has neither model.safetensors nor pytorch_model.bin" in rows[2][4]
    assert "HF_TOKEN" in rows[3][4]
    assert "there is no such model" in rows[4][4]
