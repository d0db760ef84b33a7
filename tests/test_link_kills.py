"""Runs of `link` that are killed again and again write the same bytes as one that is not."""

import random
import shutil
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from command_words import as_argv
from tiny_models import make_sentences, one_thread, tiny_roberta

__all__ = ["one_thread", "tiny_roberta"]

NAMES, KILLS = 20_000, 5


@pytest.mark.nightly
def test_a_run_that_is_killed_at_random_moments_gives_the_same_bytes(
    tiny_roberta, tmp_path, project
):
    words = make_sentences(40)
    names = (f"C{row // 2}\t{words[row % 40]} {row}\n" for row in range(NAMES))
    (tmp_path / "names.tsv").write_text("".join(names))
    (tmp_path / "mentions.txt").write_text("".join(f"{one} 7\n" for one in words))

    def start(name):
        options = {"encoder": tiny_roberta, "names": "names.tsv", "mentions": "mentions.txt"}
        options |= {"index": f"{name}/index", "output": f"{name}/links.tsv", "pooling": "mean"}
        options |= {"shard-size": 500, "dtype": "float16", "threads": 1, "device": "cpu"}
        options |= {"max-length": 16}
        # a kill between the last rename and the end leaves links that are whole
        words = as_argv(options, "--overwrite")
        command = [sys.executable, "-m", "workflow_scripts.link", *words]
        streams = {"stderr": subprocess.DEVNULL, "env": {"PYTHONPATH": str(project)}}
        return subprocess.Popen(command, cwd=tmp_path, **streams)

    started = time.monotonic()
    assert start("alone").wait() == 0
    usual = time.monotonic() - started
    print(f"a run takes {usual:.1f} s")
    generator, killed = random.Random(33), 0
    # of the moments some are after the end of a run
    for _ in range(10 * KILLS):
        running = start("killed")
        with suppress(subprocess.TimeoutExpired):
            running.wait(generator.uniform(0.1, usual) if killed < KILLS else None)
        if running.poll() is None:
            running.kill()
            killed += running.wait() != 0
            continue
        # finished before it was killed: start over, until there were enough kills
        assert running.returncode == 0
        for place in ("index/index.json", "index/names.tsv", "index/vectors.npy", "links.tsv"):
            alone, taken_up = (tmp_path / name / place for name in ("alone", "killed"))
            assert alone.read_bytes() == taken_up.read_bytes(), place
        assert len(list((tmp_path / "killed" / "index").iterdir())) == 3
        if killed == KILLS:
            return
        shutil.rmtree(tmp_path / "killed")
    pytest.fail(f"{killed} runs were killed in {10 * KILLS}")
