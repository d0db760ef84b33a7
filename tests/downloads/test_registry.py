import re

import pytest
from small_registry import known

from workflow_scripts.downloads.registry import find_data_set, read_registry, sets_with
from workflow_scripts.errors import UserError

FILE = {"path": "a/one.txt", "url": "https://example.org/one.txt"}
MEMBER = {"member": "x/one.txt", "path": "a/one.txt"}
ARCHIVE = {"url": "https://example.org/a.zip", "members": [MEMBER]}


def test_an_entry_is_read_with_addresses_put_together(data_set):
    entry = data_set(
        base="https://example.org/data/",
        files=[
            {"path": "a/one.txt", "url": "one.txt", **known(b"1")},
            {"path": "a/two.txt", "url": "http://elsewhere/two.txt"},
            {"path": "a/three.txt.gz", "url": "three.txt", "stored": "gzip"},
            {"path": "a/four.txt", "url": ["four.txt", "http://elsewhere/4"], **known(b"4")},
        ],
        archives=[{**ARCHIVE, "url": "more%20data.tar.gz", "members": [{**MEMBER, "path": "b"}]}],
    )
    assert {file.path: file.urls for file in entry.all_files} == {
        "a/one.txt": ["https://example.org/data/one.txt"],
        "a/two.txt": ["http://elsewhere/two.txt"],
        "a/three.txt.gz": ["https://example.org/data/three.txt"],
        "a/four.txt": ["https://example.org/data/four.txt", "http://elsewhere/4"],
        "b": [],
    }
    assert [file.gzipped for file in entry.all_files] == [False, False, True, False, False]
    assert entry.archives[0].name == "more data.tar.gz"
    assert entry.files[0].verified and not entry.files[1].verified


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"licens": "x"}, "unknown key `a-set.licens`; did you mean 'licence'"),
        ({"task": "similarty"}, "did you mean 'similarity'"),
        ({"gated": True}, "`a-set` is gated; it needs `obtain`"),
        ({"obtain": "ask"}, "has `obtain`, for gated sets"),
        ({"files": []}, "neither files nor archives"),
        ({"files": [{"path": "a"}]}, "the file a, which has no url; give one or set gated: true"),
        ({"files": [{**FILE, "sha": "1"}]}, "key `a-set.files.0.sha`; did you mean 'sha256'"),
        ({"files": [{**FILE, "sha256": "abc"}]}, "`a-set.files.0.sha256` is 'abc'; it must match"),
        ({"files": [{**FILE, "verified": True}]}, "is True; there is no sha256"),
        ({"files": [{**FILE, "url": "one.txt"}]}, "is 'one.txt'; it is not the address of a file"),
        ({"files": [{**FILE, "url": "ftp://x/one"}]}, "not the address of a file"),
        ({"files": [{**FILE, "url": "https://x/"}]}, "not the address of a file"),
        ({"files": [{**FILE, "url": ["https://x/a", "b"]}]}, "'b' is not the address of a file"),
        ({"files": [{**FILE, "url": []}]}, "`a-set.files.0.url` is []; give at least one address"),
        ({"files": [{**FILE, "url": ["https://x/a"] * 2}]}, "; an address is given twice"),
        (
            {"files": [{**FILE, "url": ["https://x/a", "https://y/a"]}]},
            "`a-set.files.0` has 2 addresses, but neither sha256 nor size; give one of them",
        ),
        (
            {"archives": [{**ARCHIVE, "url": ["https://x/a.zip", "https://y/a.zip"]}]},
            "`a-set.archives.0` has 2 addresses, but neither sha256 nor size",
        ),
        (
            {"archives": [{**ARCHIVE, "url": ["https://x/a.zip", "https://x/a.rar"]}]},
            "'https://x/a.rar' is not an archive known here",
        ),
        ({"files": [FILE, FILE]}, "a/one.txt is in 'a-set' and again in 'a-set'"),
        ({"archives": [{**ARCHIVE, "members": [MEMBER, MEMBER]}]}, "listed twice"),
        ({"archives": [{**ARCHIVE, "url": "https://x/a.rar"}]}, "not an archive known here"),
        ({"archives": [{**ARCHIVE, "members": []}]}, "members` is []; give at least 1"),
    ],
)
def test_a_mistake_is_named_with_its_entry(data_set, change, message):
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        data_set(**{"files": [FILE], **change})
    assert "registry.yaml" in str(caught.value)


@pytest.mark.parametrize("path", ["/etc/passwd", "../a", "a/../../b", "a//b", "./a", "", "a\\b"])
@pytest.mark.parametrize("key", ["path", "member", "member path"])
def test_a_path_stays_below_its_folder(data_set, path, key):
    if key == "path":
        entry = {"files": [{**FILE, "path": path}]}
    else:
        key = key.removeprefix("member ")
        entry = {"archives": [{**ARCHIVE, "members": [{**MEMBER, key: path}]}]}
    with pytest.raises(UserError, match="not a relative path"):
        data_set(**entry)


def test_two_entries_do_not_share_a_path_or_the_name_of_an_archive(registry_file):
    with pytest.raises(UserError, match=r"a/one\.txt is in 'one' and again in 'two'"):
        read_registry(registry_file(one={"files": [FILE]}, two={"files": [FILE]}))
    other = {**ARCHIVE, "url": "https://other/a.zip", "members": [{**MEMBER, "path": "b"}]}
    with pytest.raises(UserError, match=r"archives/a\.zip is in 'one' and again in 'two'"):
        read_registry(registry_file(one={"archives": [ARCHIVE]}, two={"archives": [other]}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {b: 1}\na: {}\n", r"line 2: the key `a` is given twice"),
        ("a: {b: 1\nc: [", "line 2: "),
        ("- a\n", "give lines of the form `key: value`"),
        ("", "has no entries; write name"),
    ],
)
def test_a_malformed_registry_is_named(tmp_path, text, message):
    path = tmp_path / "registry.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_registry(path)


def test_an_unknown_name_gets_the_nearest_one(registry_file):
    path = registry_file(sick={"files": [FILE]})
    registry = read_registry(path)
    assert find_data_set(registry, "sick", path).name == "sick"
    with pytest.raises(UserError, match="no data set 'sikc'; did you mean 'sick'"):
        find_data_set(registry, "sikc", path)


def test_sets_are_found_by_files_folders_and_patterns(registry_file):
    registry = read_registry(
        registry_file(
            one={"files": [{**FILE, "path": "a/STS.input.x.txt"}]},
            two={"archives": [{**ARCHIVE, "members": [{**MEMBER, "path": "b/two.txt"}]}]},
            closed={"files": [{"path": "c/x"}], "gated": True, "obtain": "ask"},
        )
    )
    assert sets_with(registry, ["b/two.txt"]) == ["two"]
    assert sets_with(registry, ["b", "c"]) == ["two", "closed"]
    assert sets_with(registry, ["a/STS*.input.*.txt"]) == ["one"]
    assert sets_with(registry, ["a/STS.input", "d"]) == []


def test_a_member_is_known_by_its_own_hash_or_by_that_of_its_archive(data_set):
    one = {"member": "1", "path": "1", **known(b"one")}
    unknown = [{"member": name, "path": name} for name in "23"]
    archives = [
        {"url": "https://x/a.zip", "members": [one, unknown[0]]},
        {"url": "https://x/b.zip", "members": [unknown[1]], **known(b"b")},
    ]
    entry = data_set(files=[{"path": "4", "url": "https://x/4"}], archives=archives)
    assert [file.path for file in entry.without_hash] == ["4", "2"]
    registry = {"a-set": entry}
    assert sets_with(registry, ["1"]) == sets_with(registry, ["3"]) == ["a-set"]
    assert sets_with(registry, ["1", "3"], without_hash=True) == []
    assert sets_with(registry, ["*"], without_hash=True) == ["a-set"]
