"""The command that makes a corpus."""

import hashlib
import json

import pytest

from workflow_scripts.corpora.sample_corpus import main


@pytest.fixture
def make(tmp_path):
    """Make a corpus from a block; return its lines and its record."""

    def run(block, *more):
        output, record = tmp_path / "out/corpus.txt", tmp_path / "out/corpus.json"
        outputs = ["--output", str(output), "--record", str(record)]
        arguments = ["--block", json.dumps(block), "--root", str(tmp_path), *outputs, *more]
        main(arguments)
        text = output.read_bytes()
        found = json.loads(record.read_text(encoding="utf-8"))
        assert found["sha256"] == hashlib.sha256(text).hexdigest()
        lines = text.decode("utf-8").split("\n")
        assert lines.pop() == ""
        # a blank one is between documents
        assert found["strings"] == sum(line != "" for line in lines)
        return lines, found

    return run
