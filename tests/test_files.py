import errno
import gzip
import io
import json
import os
import random
import socket
import subprocess
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts import files
from workflow_scripts.command_main import run_command
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import parse_json, read_json, read_lines, read_text, stream_lines

LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=20)


@given(st.lists(LINE, min_size=1, max_size=6), st.sampled_from(["", "\r", "\r\r"]), st.booleans())
def test_lines_split_on_newline_only_and_lose_one_carriage_return(
    tmp_path_factory, lines, end, final
):
    path = tmp_path_factory.mktemp("lines") / "text.txt"
    lines = [*(line + end for line in lines[:-1]), lines[-1]]
    path.write_bytes(("\n".join(lines) + ("\n" if final else "")).encode())
    expected = [line.removesuffix("\r") for line in lines]
    if not final and lines[-1] == "":
        expected.pop()  # nothing follows the last newline
    expected[:1] = [expected[0].removeprefix("\ufeff")] if expected else []
    assert files.read_lines(path) == list(files.stream_lines(path)) == expected


UTF_16 = "names\n".encode("utf-16-le")
NUL = "a NUL character: the file is damaged, or not UTF-8 text .UTF-16..; make .*convert it"


@pytest.mark.parametrize(
    ("name", "body", "encoding", "message"),
    [
        # its bytes are valid UTF-8: each second one is U+0000
        ("a.txt", UTF_16, "utf-8", f":1: {NUL}"),
        ("a.txt", UTF_16, "iso-8859-1", f":1: {NUL}"),
        ("a.txt.gz", gzip.compress(UTF_16, mtime=0), "utf-8", f":1: {NUL}"),
        ("a.txt", b"a\nb\0", "utf-8", f":2: {NUL}"),
        ("a.txt", "\ufeffé\n".encode(), "iso-8859-1", ":1: UTF-8 by its first bytes, not iso-8859"),
        ("a.txt", b"good\nb\xffad\n", "utf-8", ":2: not UTF-8"),
        ("none.txt", None, "utf-8", ": no such file"),
        ("a.gz", gzip.compress(b"some text " * 100, mtime=0)[:-12], "utf-8", ":1: cannot be read"),
    ],
)
def test_unreadable_text_names_file_and_line(tmp_path, name, body, encoding, message):
    if body is not None:
        (tmp_path / name).write_bytes(body)
    for read in (read_lines, read_text, lambda *given: list(stream_lines(*given))):
        with pytest.raises(UserError, match=rf"{name}{message}"):
            read(tmp_path / name, encoding)


def test_other_readers_refuse_utf_16_too(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(UTF_16)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(UTF_16)))
    readers = (
        lambda: list(files.given_lines("-")[1]),
        lambda: list(read_rows(path, Layout(delimiter=","))),
        lambda: read_json(path),
    )
    for read in readers:
        with pytest.raises(UserError, match=f":1: {NUL}"):
            read()


def test_a_nul_character_names_its_line_also_where_json_spells_it():
    with pytest.raises(UserError, match=rf"a\.json:2: {NUL}"):
        parse_json('{"a":\n"b\\u0000"}', "a.json")
    assert parse_json(r'{"a": "b\\u0000"}', "a.json") == {"a": r"b\u0000"}


def test_carriage_returns_alone_are_no_ends_of_lines(tmp_path):
    path = tmp_path / "mac.txt"
    path.write_bytes(b"one\rtwo\r")
    with pytest.raises(UserError, match=r"mac\.txt:1: lines that end in carriage returns alone; "):
        read_lines(path)
    path.write_bytes("\ufeffone\rtwo\nthree".encode())
    assert read_lines(path) == ["one\rtwo", "three"]
    assert read_text(path) == "one\rtwo\nthree"


NUMBERS = {"4": 4, "-0.5": -0.5, "+1.": 1, ".5": 0.5, "1e-3": 0.001, "033": 33, " 5 ": 5}
NO_NUMBERS = ["4_5", "4,5", "1,000", "\u0661\u0662", "\uff14", "nan", "inf", "-Infinity", "1e400"]
NO_NUMBERS += ["", " ", "0x10", "1e", "e5", "+-1", "1 2", "\u00a05", "5\u200b", "1.2.3", "5\n"]


def test_numbers_are_plain_decimal_ones():
    assert {text: files.parse_number(text) for text in NUMBERS} == NUMBERS
    assert {text: files.parse_number(text) for text in NO_NUMBERS} == dict.fromkeys(NO_NUMBERS)


def test_odd_separators_stay_in_the_line_and_gzip_is_read(tmp_path):
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress("a\x1cb\u2028c\td\r\ne".encode()))
    assert files.read_lines(path) == ["a\x1cb\u2028c\td", "e"] == list(files.stream_lines(path))


@pytest.mark.parametrize("letter", ["a", "é", "中", "😀"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_line_is_as_long_as_the_limit_at_most(tmp_path, monkeypatch, letter, end):
    monkeypatch.setattr(files, "LONGEST_LINE", 10)
    path = tmp_path / "text.txt"
    path.write_text(f"b\n{letter * 10}{end}", newline="")
    assert files.read_lines(path) == ["b", letter * 10]
    path.write_text(f"b\n{letter * 11}{end}", newline="")
    with pytest.raises(UserError, match=r"text\.txt:2: a line of more than 10 characters; "):
        files.read_lines(path)


def test_a_line_beyond_the_limit_is_not_read_whole(tmp_path):
    path = tmp_path / "long.txt.gz"
    path.write_bytes(gzip.compress(b"short\n" + b"x" * 50_000_000, 1))
    tracemalloc.start()
    with pytest.raises(UserError, match=r"long\.txt\.gz:2: a line of more than 1,000,000 char"):
        files.read_lines(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_json_is_written_with_sorted_keys_and_read_back_and_mistakes_are_named(tmp_path):
    path = tmp_path / "deep" / "a.json"
    files.write_json(path, {"b": 1, "a": "é"})
    assert path.read_text() == json.dumps({"a": "é", "b": 1}, indent=1, ensure_ascii=False) + "\n"
    assert files.read_json(path) == {"a": "é", "b": 1}
    mistakes = {'{"a": 1,\n "b"}': ":2", '{"a": {"b": 1, "b": 2}}': ": the key 'b' occurs twice"}
    for text, message in mistakes.items():
        path.write_text(text)
        with pytest.raises(UserError, match=rf"a\.json{message}"):
            files.read_json(path)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), files.atomic_file(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_replaced_as_a_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "encoder"
    for text in ("first", "second"):
        with files.atomic_directory(folder) as temporary:
            (temporary / f"{text}.txt").write_text(text)
    assert [file.name for file in folder.iterdir()] == ["second.txt"]
    with pytest.raises(RuntimeError), files.atomic_directory(folder) as temporary:
        (temporary / "third.txt").write_text("half")
        raise RuntimeError
    assert [file.name for file in folder.iterdir()] == ["second.txt"]
    assert list(tmp_path.iterdir()) == [folder]


def test_sha256_of_a_known_text(tmp_path):
    path = tmp_path / "abc"
    path.write_text("abc")
    # FIPS 180-2, appendix B.1
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert files.sha256_of(path) == known


def test_a_user_error_becomes_one_line_and_exit_code_2(capsys):
    def main():
        raise UserError("a.txt:3", "broken", "\n fix it")

    with pytest.raises(SystemExit) as caught:
        run_command(main)
    assert caught.value.code == 2
    assert capsys.readouterr().err == "error: a.txt:3: broken; fix it\n"


def test_the_nearest_name_is_hinted_or_all_are_listed():
    assert nearest_name("temprature", ["temperature", "epochs"]) == "did you mean 'temperature'?"
    assert nearest_name("x", ["b", "a"]) == "known are a, b"
    many = [f"name{number}" for number in range(99)]
    told = nearest_name("5", many)
    assert told.startswith("of 99 the nearest are name5") and told.count(",") == 4
    assert len(nearest_name("x" * 10**6, many)) < 100


def test_of_a_long_message_the_middle_is_left_out():
    shown = str(UserError("a.tsv:3", "x" * 5000, "fix the line"))
    assert len(shown) < 1000 and "\n" not in shown
    assert shown.startswith("a.tsv:3: xxx") and shown.endswith("xxx; fix the line")


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOSPC, "the disk is full; free"), (errno.EROFS, "cannot be used (Read-only file sys")],
)
def test_what_a_library_in_rust_cannot_write_is_one_line(capsys, number, said):
    """As safetensors and tokenizers say it, by errors of their own."""

    def write():
        why = os.strerror(number)
        raise Exception(f"Error while serializing: I/O error: {why} (os error {number})")

    with pytest.raises(SystemExit) as error:
        run_command(write)
    assert error.value.code == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and said in line


HOST = socket.gethostname()


@pytest.fixture
def dead_process():
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_what_a_killed_process_left_is_removed_and_what_may_be_written_stays(
    tmp_path, dead_process
):
    living = tmp_path / f".a.txt.{HOST}.{os.getppid()}.tmp"
    elsewhere = tmp_path / f".a.txt.other.host.{dead_process}.tmp"
    of_another = tmp_path / f".a.txt.gz.{HOST}.{dead_process}.tmp"
    own = tmp_path / ".a.txt.notes.tmp"
    stay = [living, elsewhere, of_another, own]
    old = tmp_path / f".a.txt.other.host.{dead_process + 1}.tmp"
    left = [tmp_path / f".a.txt.{HOST}.{dead_process}.tmp", old]
    left.append(tmp_path / f".a.txt.{HOST}.{dead_process}-01234567.tmp")
    for file in [*stay, *left]:
        file.write_text("half")
    os.utime(old, (time.time() - 2 * 24 * 3600,) * 2)
    files.write_text(tmp_path / "a.txt", "whole")
    assert {*tmp_path.iterdir()} == {*stay, tmp_path / "a.txt"}


def test_a_folder_is_not_lost_between_the_two_renames(tmp_path, dead_process):
    old = tmp_path / f".a.{HOST}.{dead_process}.old"
    old.mkdir()
    (old / "weights").write_text("first")
    with pytest.raises(ZeroDivisionError), files.atomic_directory(tmp_path / "a"):
        raise ZeroDivisionError
    assert (tmp_path / "a" / "weights").read_text() == "first"
    with files.atomic_directory(tmp_path / "a") as folder:
        (folder / "weights").write_text("second")
    assert [*tmp_path.iterdir()] == [tmp_path / "a"]
    assert (tmp_path / "a" / "weights").read_text() == "second"


def test_bytes_are_on_the_disk_before_their_name(tmp_path, monkeypatch):
    done = []
    real = {"fsync": os.fsync, "replace": os.replace}

    def fsync(handle):
        done.append(os.path.basename(os.readlink(f"/proc/self/fd/{handle}")))
        real["fsync"](handle)

    def replace(source, target):
        done.append(f"renamed {os.path.basename(target)}")
        real["replace"](source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    files.write_text(tmp_path / "a.txt", "whole")
    with files.atomic_directory(tmp_path / "b") as folder:
        (folder / "weights").write_text("whole")
    assert done[0].startswith(f".a.txt.{HOST}.{os.getpid()}-") and done[0].endswith(".tmp")
    assert done[1:] == ["renamed a.txt", "weights", "renamed b"]


@pytest.fixture
def victim(tmp_path):
    """A folder with a file that nothing may touch."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "kept.txt").write_text("kept")
    yield folder
    assert (folder / "kept.txt").read_text() == "kept"
    assert [*folder.iterdir()] == [folder / "kept.txt"]


def write_folder(path):
    with files.atomic_directory(path) as folder:
        (folder / "weights").write_text("whole")


WRITERS = [lambda path: files.write_text(path, "whole"), write_folder]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("target", ["kept.txt", "", "new"])
def test_links_at_names_that_were_used_before_are_removed_and_not_followed(
    write, target, tmp_path, victim, dead_process
):
    out = tmp_path / "out"
    out.mkdir()
    for process in (os.getpid(), dead_process):
        for ending in ("tmp", "old"):
            (out / f".a.{HOST}.{process}.{ending}").symlink_to(victim / target)
    write(out / "a")
    assert [*out.iterdir()] == [out / "a"]
    assert not (out / "a").is_symlink()


@pytest.mark.parametrize("write", WRITERS)
def test_a_temporary_name_is_new_and_what_has_it_already_is_not_used(
    write, tmp_path, victim, monkeypatch
):
    names = set()
    for _ in range(5):
        with files.atomic_file(tmp_path / "a") as temporary:
            names.add(temporary.name)
    assert len(names) == 5
    monkeypatch.setattr(os, "urandom", bytes)
    planted = tmp_path / f".b.{HOST}.{os.getpid()}-00000000.tmp"
    planted.symlink_to(victim / "kept.txt")
    # as if it came between the look for what is left and the use of the name
    monkeypatch.setattr(files, "_is_left_over", lambda *_: False)
    with pytest.raises(FileExistsError):
        write(tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("lead_somewhere", [True, False])
def test_an_output_that_is_a_link_is_replaced_and_not_what_it_leads_to(
    lead_somewhere, tmp_path, victim
):
    out = tmp_path / "out"
    out.mkdir()
    for name, write in zip(("file", "folder"), WRITERS, strict=True):
        (out / name).symlink_to(victim if lead_somewhere else tmp_path / "nowhere")
        write(out / name)
    assert {*out.iterdir()} == {out / "file", out / "folder"}
    assert (out / "file").read_text() == (out / "folder/weights").read_text() == "whole"


def test_what_an_earlier_process_of_the_same_number_left_is_removed(tmp_path):
    """As in containers, where the numbers are small."""
    left = tmp_path / f".a.{HOST}.{os.getpid()}-0123abcd.tmp"
    left.write_text("half")
    with files.atomic_file(tmp_path / "a") as first:
        first.write_text("first")
        # this one is in use
        files.write_text(tmp_path / "a", "second")
        assert {*tmp_path.iterdir()} == {first, tmp_path / "a"}
    assert (tmp_path / "a").read_text() == "first"


@pytest.mark.parametrize("read", [read_text, read_lines, lambda path: list(stream_lines(path))])
def test_gzip_with_any_bit_flipped_or_cut_gives_one_error_or_text(tmp_path, read):
    path = tmp_path / "a.txt.gz"
    body = gzip.compress("".join(f"line {n * n}\n" for n in range(200)).encode())
    cut = [body[:size] for size in range(1, len(body), 7)]
    bits = range(0, 8 * len(body), 11)
    flipped = [
        body[: b // 8] + bytes([body[b // 8] ^ 1 << b % 8]) + body[b // 8 + 1 :] for b in bits
    ]
    refused = 0
    for damaged in cut + flipped:
        path.write_bytes(damaged)
        try:
            read(path)
        except UserError as error:
            refused += 1
            assert str(error).startswith(str(path))
    assert refused > len(cut) + len(flipped) // 2


def test_a_cut_gzip_file_is_named_with_the_line_that_it_ends_in(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(
        gzip.compress(b"one\n" + random.Random(3).randbytes(9000).hex().encode())[:3000]
    )
    with pytest.raises(UserError, match=r"a\.txt\.gz:2: cannot be read .*; make or fetch it again"):
        list(stream_lines(path))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a":\n "\\ud83d"}', r":2: half a character \(\\ud83d"),
        ('{"a": 1,\n "\\udE00": 2}', r":2: half a character"),
        ("[" * 100_000, r":1: .*\(too deep\)"),
        ("9" * 5000, r":1: .*\(a number too long\)"),
    ],
)
def test_json_that_no_step_could_write_again_is_one_error(tmp_path, text, problem):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UserError, match=rf"a\.json{problem}.*; fix or remake the file$"):
        read_json(tmp_path / "a.json")
    with pytest.raises(UserError, match=r"^b:7: .*; fix or remake the file$"):
        parse_json(text, "b", 7)


def test_json_keeps_characters_written_in_two_halves():
    assert parse_json('"\\ud83d\\ude00 \\\\ud83d"', "a") == "\U0001f600 \\ud83d"
