"""Corpora of the strings under one key of JSON lines."""

import gzip

import pytest

from workflow_scripts.corpora.kinds.register import read_corpus_block
from workflow_scripts.errors import UserError

BLOCK = {"kind": "json-lines", "path": "data.jsonl", "key": "title", "size": "all"}
WHOLE = '{"title": "one"}\n'


def write(folder, text, name="data.jsonl"):
    raw = text.encode()
    (folder / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (WHOLE + '{"id": 5, "title": "two", "more": {"title": "x"}}', {}, ["one", "two"]),
        ("\ufeff" + WHOLE.replace("\n", "\r\n") + ' {"title":"two"} \r\n', {}, ["one", "two"]),
        # as JSON escapes it, and as it stands; a line of the corpus has one string
        ('{"title": "caf\\u00e9"}\n{"title": "caffè"}\n', {}, ["café", "caffè"]),
        ('{"title": "a\\nb"}\n{"title": "c\u2028d"}\n', {}, ["a b", "c\u2028d"]),
        ('{"title": " a  b "}\n', {}, [" a  b "]),
        ('{"title": " a  b "}\n', {"whitespace": "collapsed"}, ["a b"]),
        (WHOLE * 2, {}, ["one"]),
        (WHOLE * 2, {"deduplicate": False}, ["one", "one"]),
        ('{"": "a", "the title": "b"}\n', {"key": "the title"}, ["b"]),
        # a key is a name, not a path
        ('{"a.b": "c", "a": {"b": "d"}}\n', {"key": "a.b"}, ["c"]),
    ],
)
def test_the_strings_under_the_key_are_taken(make, tmp_path, text, options, expected):
    write(tmp_path, text)
    assert make({**BLOCK, **options})[0] == expected


def test_a_sample_is_drawn_of_a_gzipped_file(make, tmp_path):
    lines = [f"title {number}" for number in range(50)]
    write(tmp_path, "".join(f'{{"title": "{line}"}}\n' for line in lines), "data.jsonl.gz")
    block = {**BLOCK, "path": "data.jsonl.gz", "size": 6}
    drawn, record = make(block)
    assert len(drawn) == 6
    assert drawn == [line for line in lines if line in drawn] != lines[:6]
    assert (record["seed"], record["found"], record["requested"]) == (0, 50, 6)
    assert make(block, "--seed", "1")[0] != drawn


def test_blank_lines_are_ignored_and_blank_strings_counted(make, tmp_path):
    write(tmp_path, f'\n{WHOLE} \t\n\r\n{{"title": " "}}\n{{"title": ""}}\n\n')
    lines, record = make(BLOCK)
    assert lines == ["one"]
    assert (record["found"], record["blank"]) == (3, 2)


NO_OBJECT = "expected a JSON object, found"
NO_STRING = "the key 'title' has"
FIX = "fix or remove the line"


@pytest.mark.parametrize(
    ("line", "problem", "remedy"),
    [
        ('["one"]', f"{NO_OBJECT} a list", FIX),
        ('"title"', f"{NO_OBJECT} a string", FIX),
        ("5", f"{NO_OBJECT} a number", FIX),
        ("null", f"{NO_OBJECT} null", FIX),
        ("{", "not valid JSON", "fix or remake the file"),
        ("title", "not valid JSON", "fix or remake the file"),
        (WHOLE.strip() * 2, "not valid JSON", "fix or remake the file"),
        ('{"title": "a", "title": "b"}', "the key 'title' is there twice", "remove one of the two"),
        ('{"title": "\\ud800"}', "half a character", "fix or remake the file"),
        ("{}", "the object has no key 'title' (it has none)", FIX),
        ('{"Title": "one", "id": 1}', "the object has no key 'title' (it has Title, id)", FIX),
        ('{"title": 5}', f"{NO_STRING} a number, not a string", FIX),
        ('{"title": 5.5}', f"{NO_STRING} a number, not a string", FIX),
        ('{"title": true}', f"{NO_STRING} true or false, not a", FIX),
        ('{"title": null}', f"{NO_STRING} null, not a string", FIX),
        ('{"title": ["a"]}', f"{NO_STRING} a list, not a string", FIX),
        ('{"title": {"a": 1}}', f"{NO_STRING} an object, not a string", FIX),
    ],
)
def test_a_line_that_has_no_string_is_named_with_the_remedy(make, tmp_path, line, problem, remedy):
    # the blank line counts
    write(tmp_path, f"{WHOLE}\n{line}\n{WHOLE}")
    with pytest.raises(UserError) as caught:
        make(BLOCK)
    assert str(caught.value).startswith(f"{tmp_path / 'data.jsonl'}:3: {problem}")
    assert str(caught.value).endswith(f"; {remedy}")
    assert not (tmp_path / "out").exists()


def test_a_file_without_strings_or_none_at_all_is_an_error(make, tmp_path):
    with pytest.raises(UserError, match=r"data\.jsonl: no such file, needed by corpus `corpus`"):
        make(BLOCK)
    write(tmp_path, "\n")
    with pytest.raises(UserError, match=r"corpus 'corpus': no strings in .*data\.jsonl"):
        make(BLOCK)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": None}, "key `corpora.c.key` is missing"),
        ({"path": None}, "key `corpora.c.path` is missing"),
        ({"key": ""}, "`corpora.c.key` is ''"),
        ({"key": ["title"]}, r"`corpora.c.key` is \['title'\]"),
        ({"keys": "title"}, "unknown key `corpora.c.keys`; did you mean 'key'?"),
    ],
)
def test_mistakes_of_the_block_name_the_key(change, message):
    block = {key: value for key, value in {**BLOCK, **change}.items() if value is not None}
    with pytest.raises(UserError, match=f"^config: {message}"):
        read_corpus_block("c", block)
