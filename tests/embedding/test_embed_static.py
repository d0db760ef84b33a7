"""The command that embeds the strings of data sets by static word vectors."""

import json
import subprocess
import sys

import numpy as np
import pytest
from command_words import as_argv

from tests.support.fasttext_files import write_model
from workflow_scripts.embedding import embed_static
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of


@pytest.fixture
def arguments(tmp_path):
    vectors = tmp_path / "en.vec"
    vectors.write_text("3 2\ncat 3 4\nthe 0 2\ncat 9 9\n")
    strings = tmp_path / "strings.txt"
    strings.write_text("cat\nThe cat\nzebra\n")
    outputs = {"--output": tmp_path / "out/suite.npy", "--record": tmp_path / "out/suite.json"}
    inputs = {"--vectors": vectors, "--datasets": "mine", "--strings": strings}
    return {**inputs, "--oov": "mean", **outputs}


def test_vectors_and_record_are_written(arguments, tmp_path):
    embed_static.main(as_argv(arguments))
    vectors = np.load(tmp_path / "out" / "suite.npy", allow_pickle=False)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[3, 4], [1.5, 3], [4, 5]])
    record = json.loads((tmp_path / "out" / "suite.json").read_text())
    lookup = {"as_written": 1, "from_subwords": 0, "lower_cased": 1, "mean_vector": 1, "words": 3}
    assert record == {
        **{"dimension": 2, "format": "text", "words_in_file": 3, "repeated_words": 1},
        **{"oov": "mean", "lookup": lookup | {"strings_of_mean_vectors": 1}},
        **{"strings": 3, "datasets": {"mine": sha256_of(arguments["--strings"])}},
        **{"vectors": "en.vec", "vectors_sha256": sha256_of(arguments["--vectors"])},
        "versions": {"numpy": np.__version__},
    }
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["suite.json", "suite.npy", "suite.npz"]
    assert (
        read_string_vectors(tmp_path / "out/suite.npy", "mine")[[2, 0]] == vectors[[2, 0]]
    ).all()


def test_a_model_gives_unknown_words_vectors_of_their_ngrams(arguments, tmp_path):
    changes = {"--vectors": write_model(tmp_path / "en.bin"), "--oov": "subwords"}
    embed_static.main(as_argv({**arguments, **changes}))
    record = json.loads((tmp_path / "out" / "suite.json").read_text())
    assert record["format"] == "fastText model"
    # `The` and `the` are both unknown: the word is taken as it is written.
    assert record["lookup"]["from_subwords"] == 2
    assert np.load(tmp_path / "out" / "suite.npy").shape == (3, 3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--vectors": "nowhere.vec"}, "nowhere.vec: no such file of word vectors; check the path"),
        ({"--vectors": "en.npz"}, "en.npz: of a type"),
        ({"--strings": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--strings": "empty.txt"}, "empty.txt: no strings to embed"),
        ({"--oov": "subwords"}, "--oov subwords: en.vec holds no vectors of n-grams"),
        ({"--oov": "error"}, "lacks vectors for 1 of 3 words"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(UserError, match=message):
        embed_static.main(as_argv({**arguments, **changes}))
    assert not (tmp_path / "out").exists()


def test_no_torch_nor_scipy_is_loaded(project):
    code = "import sys, workflow_scripts.embedding.embed_static\n"
    code += "assert not {'torch', 'transformers', 'scipy', 'sklearn'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=project, check=True)
