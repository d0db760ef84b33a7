"""The Python API `mirror_bert`: the same numbers as the commands, light, and one-line errors."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest
from command_words import as_argv
from tiny_models import RECIPE, encoder, make_sentences, one_thread, tiny_bert, tiny_roberta

import mirror_bert
from workflow_scripts import tune
from workflow_scripts.evaluate import main as evaluate_command
from workflow_scripts.link import main as link_command
from workflow_scripts.search import main as search_command
from workflow_scripts.translate import main as translate_command

__all__ = ["encoder", "one_thread", "tiny_bert", "tiny_roberta"]

ROOT = Path(__file__).parents[1]
STRINGS = make_sentences(40)
TEXT = [STRINGS[start : start + 5] for start in range(0, 40, 5)]
CMLM = {
    **{"method": "cmlm", "pooling": "mean", "embed_max_length": 20, "max_length": 16},
    **{"steps": 2, "batch_size": 4, "projections": 2, "learning_rate": 1e-3},
}


@pytest.fixture
def recipes(tmp_path):
    path = tmp_path / "recipes.yaml"
    path.write_text(json.dumps({"recipes": {"own": RECIPE, "own-cmlm": CMLM}}))
    return path


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def by_command(model, lines, recipe, recipes, output):
    corpus = written(output.with_suffix(".txt"), lines)
    options = {"model": model, "corpus": corpus, "recipe": recipe, "recipes": recipes}
    tune.main(as_argv(options | {"output": output, "seed": 5, "device": "cpu", "threads": 1}))
    return output


def bytes_of(folder, leave_out=()):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.name not in leave_out
    }


def assert_same_report(folder):
    """Check that the page of Python has the bytes of the command's, and names no folder."""
    page = (folder / "python.html").read_bytes()
    assert page == (folder / "command.html").read_bytes()
    assert str(folder).encode() not in page


@pytest.mark.parametrize("threads", [1, 2])
def test_tuned_in_memory_an_encoder_has_the_bytes_of_the_command(
    threads, tiny_bert, recipes, tmp_path
):
    expected = by_command(tiny_bert, STRINGS, "own", recipes, tmp_path / "by-command")
    tuned = mirror_bert.tune(
        tiny_bert, STRINGS, recipe="own", recipes=recipes, seed=5, device="cpu", threads=threads
    )
    saved = tuned.save(tmp_path / "saved")
    # which name the file of strings
    assert bytes_of(saved, ["encoder.json", "README.md"]) == bytes_of(
        expected, ["encoder.json", "README.md"]
    )
    record, other = (json.loads((path / "encoder.json").read_text()) for path in (saved, expected))
    assert record.pop("corpus") | {"name": "by-command.txt"} == other.pop("corpus")
    assert record == other


def test_keys_of_the_recipe_are_arguments(tiny_bert, recipes, tmp_path):
    tuned = mirror_bert.tune(
        *(tiny_bert, STRINGS),
        **{"recipe": "own", "recipes": recipes, "pooling": "cls", "epochs": 2, "device": "cpu"},
    )
    assert tuned.settings == mirror_bert.EncoderSettings("cls", RECIPE["embed_max_length"])
    assert tuned.record["recipe"] == RECIPE | {"pooling": "cls", "epochs": 2}


def test_prompts_are_on_the_card(tiny_bert, recipes):
    how = {"recipe": "own", "recipes": recipes, "device": "cpu"}
    prompts = {"default": "a man ", "query": "the "}
    assert "Prompt of role" not in mirror_bert.tune(tiny_bert, STRINGS, **how).card
    card = mirror_bert.tune(tiny_bert, STRINGS, **how, prompts=prompts).card
    assert "- Prompt of role default: `a man `.\n- Prompt of role query: `the `.\n" in card


def test_trained_in_memory_on_documents_an_encoder_has_the_bytes_of_the_command(
    tiny_bert, recipes, tmp_path
):
    lines = [line for document in TEXT for line in (*document, "")]
    expected = by_command(tiny_bert, lines, "own-cmlm", recipes, tmp_path / "by-command")
    trained = mirror_bert.train_cmlm(
        tiny_bert, TEXT, recipe="own-cmlm", recipes=recipes, seed=5, device="cpu"
    )
    saved = trained.save(tmp_path / "saved")
    names = ["model.safetensors", "training_modules.safetensors", "modules.json"]
    for name in names:
        assert (saved / name).read_bytes() == (expected / name).read_bytes()
    # Mirror tuning after it starts from these weights
    how = {"recipe": "own", "recipes": recipes, "device": "cpu"}
    after, other = (mirror_bert.tune(model, STRINGS, **how) for model in (trained, expected))
    np.testing.assert_array_equal(after.encode(STRINGS), other.encode(STRINGS))


def test_a_saved_encoder_is_loaded_with_its_settings_and_gives_the_same_vectors(
    tiny_bert, recipes, tmp_path
):
    tuned = mirror_bert.tune(tiny_bert, STRINGS, recipe="own", recipes=recipes, device="cpu")
    loaded = mirror_bert.load(tuned.save(tmp_path / "encoder"), device="cpu")
    assert loaded.settings == tuned.settings
    vectors = tuned.encode(STRINGS)
    assert vectors.dtype == np.float32 and vectors.shape == (40, tuned.dimension)
    assert loaded.encode(STRINGS).tobytes() == vectors.tobytes()
    theirs = tuned.to_sentence_transformers().encode(STRINGS)
    np.testing.assert_allclose(theirs, vectors, atol=2e-5)
    # saved once more it is the same folder
    assert bytes_of(loaded.save(tmp_path / "again")) == bytes_of(tmp_path / "encoder")
    assert tuned.encode([]).shape == (0, tuned.dimension)


def test_scores_are_those_of_the_command(encoder, sample_data, tmp_path, tiny_roberta, capsys):
    options = {"model": encoder, "against": tiny_roberta, "datasets": "simlex999"}
    options |= {"data_root": sample_data, "against_pooling": "cls", "device": "cpu"}
    options |= {"output": tmp_path / "scores.json", "report": tmp_path / "command.html"}
    evaluate_command(as_argv(options))
    expected = json.loads((tmp_path / "scores.json").read_text())
    scores = mirror_bert.evaluate(
        mirror_bert.load(encoder, device="cpu"),
        sample_data,
        "simlex999",
        against=mirror_bert.load(tiny_roberta, pooling="cls", max_length=16, device="cpu"),
        report=tmp_path / "python.html",
    )
    assert_same_report(tmp_path)
    assert scores.to_dict("records") == expected
    record = json.loads((tmp_path / "scores.record.json").read_text())
    [verdict] = scores.attrs["verdicts"]
    assert f"\n{verdict}\n" in capsys.readouterr().out
    assert {**scores.attrs, "verdicts": []} == {"record": record, "missing": {}, "verdicts": []}


def test_what_is_found_is_what_the_command_finds(encoder, tmp_path):
    strings, queries = ["", *STRINGS, STRINGS[0]], ["a red cat", " ", STRINGS[3], "a red cat"]
    options = {"encoder": encoder, "k": 3, "device": "cpu", "prompt": "query=a man sees "}
    options |= {"strings": written(tmp_path / "strings.txt", strings)}
    options |= {"queries": written(tmp_path / "queries.txt", queries)}
    options |= {"output": tmp_path / "found.tsv", "report": tmp_path / "command.html"}
    search_command(["nearest", *as_argv(options)])
    expected = pandas.read_csv(tmp_path / "found.tsv", sep="\t")
    loaded = mirror_bert.load(encoder, prompts={"query": "a man sees "}, device="cpu")
    found = mirror_bert.search(loaded, queries, strings, k=3, report=tmp_path / "python.html")
    assert_same_report(tmp_path)
    pandas.testing.assert_frame_equal(found.round({"score": 6}), expected)
    limit = found["score"].mean()
    high = found[found["score"] >= limit]
    other = mirror_bert.search(loaded, queries, strings, k=3, threshold=limit)
    assert 0 < len(other) < len(found)
    pandas.testing.assert_frame_equal(other, high.reset_index(drop=True))


def test_translations_and_accuracies_are_those_of_the_command(encoder, tmp_path, capsys):
    sources, targets = STRINGS[:20], STRINGS[20:]
    pairs = list(zip(sources, targets, strict=True))
    options = {"encoder": encoder, "output": tmp_path / "out.tsv", "device": "cpu"}
    options |= {"source_vocabulary": written(tmp_path / "en.txt", sources)}
    options |= {"target_vocabulary": written(tmp_path / "fr.txt", targets)}
    options |= {"dictionary": written(tmp_path / "dictionary.tsv", map("\t".join, pairs))}
    how = {"k": 3, "regularisation": 1, "neighbours": 4}
    translate_command(as_argv(options | how))
    printed = capsys.readouterr().out
    expected = pandas.read_csv(tmp_path / "out.tsv", sep="\t")
    loaded = mirror_bert.load(encoder, device="cpu")
    found = mirror_bert.translate(loaded, pairs, sources, targets, **how)
    pandas.testing.assert_frame_equal(found, expected, check_dtype=False, atol=1e-6)
    held_out = found.attrs["held_out"]
    for metric in ("accuracy@1", "accuracy@5"):
        value, low, high = held_out[metric]
        assert f"{metric}  {value:.4f}  (95% interval {low:.4f} {high:.4f})" in printed


@pytest.mark.parametrize("each_name", [False, True])
@pytest.mark.parametrize("how", [{}, {"threshold": 0.999}, {"margin": 0.01, "similarity": "dot"}])
def test_links_are_those_of_the_command(how, each_name, encoder, tmp_path):
    names = [(f"C{number // 3}", string) for number, string in enumerate(STRINGS)]
    mentions = ["a red cat", "", STRINGS[3], "a red cat", "the house"]
    file = written(tmp_path / "names.tsv", map("\t".join, names))
    options = {"encoder": encoder, "names": file, "k": 2, "device": "cpu", **how}
    options |= {"mentions": written(tmp_path / "mentions.txt", mentions)}
    options |= {"output": tmp_path / "links.tsv", "report": tmp_path / "command.html"}
    link_command(as_argv(options, *["--each-name"] * each_name))
    expected = pandas.read_csv(tmp_path / "links.tsv", sep="\t")
    loaded = mirror_bert.load(encoder, device="cpu")
    for given in (names, file):
        page = tmp_path / "python.html"
        links = mirror_bert.link(
            loaded, given, mentions, k=2, each_name=each_name, report=page, **how
        )
        assert_same_report(tmp_path)
        pandas.testing.assert_frame_equal(
            links.round({"score": 6}), expected, check_dtype=False, atol=2e-6
        )


def link_none(**options):
    return mirror_bert.link(None, [("C1", "a")], ["b"], **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: mirror_bert.tune(m, ["a"], recipe="mirror-phrse"), "did you mean 'mirror-phra"),
        (lambda m: mirror_bert.tune(m, "a"), "strings: a single string; give a list of strings"),
        (lambda m: mirror_bert.tune(m, ["a", "b\nc"]), r"strings\[1\]: holds a line break"),
        (lambda m: mirror_bert.tune(m, ["a", 3]), r"strings\[1\]: a int, not a string"),
        (lambda m: mirror_bert.tune(m, ["a"]), "1 strings?, fewer than one batch"),
        (lambda m: mirror_bert.tune(m, ["a"], temprature=1), "did you mean 'temperature'"),
        (lambda m: mirror_bert.train_cmlm(m, ["a b"]), r"texts\[0\]: a string; give a list of"),
        (lambda m: mirror_bert.load(m), "pooling: .* does not record one; give pooling cls"),
        (lambda m: mirror_bert.load(m, pooling="mea"), "pooling 'mea': unknown; use one of"),
        (lambda m: mirror_bert.load(m, pooling="cls").encode("a"), "strings: a single string"),
        (lambda m: mirror_bert.load("no/such/model", pooling="cls"), "no such model folder"),
        (lambda m: mirror_bert.search(None, ["a"], ["b"], k=0), "k 0: below 1; give 1 or more"),
        (lambda m: mirror_bert.search(None, [" "], ["b"]), "queries: it contains no strings"),
        (
            lambda m: mirror_bert.link(None, [("a",)], ["b"]),
            r"names\[0\]: not a pair of an id and a name",
        ),
        (lambda m: mirror_bert.link(None, "a", ["b"]), "names: a single string; give pairs"),
        (lambda m: mirror_bert.link(None, [("a", "b\tc")], ["b"]), r"names\[0\]: holds a tab"),
        (
            lambda m: link_none(target_precision=0.9),
            "target_precision: no correct ids .*; give gold",
        ),
        (lambda m: link_none(target_precision=2, gold=["C1"]), "target_precision 2: give a share"),
        (
            lambda m: link_none(gold=["C1", "C2"]),
            "gold: not one per mention; give 1, with None for",
        ),
        (lambda m: link_none(documents="text"), "documents: not one per mention"),
        (lambda m: link_none(calibration="none.json"), "none.json: no such file"),
        (lambda m: mirror_bert.evaluate(None, ROOT, "no-such"), "no-such: no such data set"),
    ],
)
def test_mistakes_are_one_line(call, message, tiny_bert):
    with pytest.raises(mirror_bert.UserError, match=message) as raised:
        call(tiny_bert)
    assert "\n" not in str(raised.value)


def test_a_folder_of_other_files_is_not_replaced(encoder, tmp_path):
    loaded = mirror_bert.load(encoder, device="cpu")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("all of it")
    for overwrite in (False, True):
        with pytest.raises(mirror_bert.UserError, match=r"not empty|holds no encoder"):
            loaded.save(tmp_path / "mine", overwrite=overwrite)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def run_python(code, folder, **environment):
    command = [sys.executable, "-c", code]
    own = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)


def test_the_import_brings_nothing_heavy(tmp_path):
    code = "import sys, mirror_bert; print(sorted({'torch', 'pandas', 'numpy'} & {*sys.modules}))"
    assert run_python(code, tmp_path).stdout == "[]\n"


def test_another_project_s_workflow_scripts_is_not_taken(tmp_path):
    own = tmp_path / "workflow_scripts"
    own.mkdir()
    (own / "__init__.py").write_text("print('another project')\n")
    code = "import mirror_bert; print(mirror_bert.EncoderSettings('mean').max_length)"
    result = run_python(code, tmp_path)
    assert (result.stdout, result.stderr) == ("64\n", "")
    result = run_python(f"import workflow_scripts; {code}", tmp_path)
    assert "ImportError: another package named workflow_scripts is loaded" in result.stderr


@pytest.mark.slow
def test_the_python_of_the_pages_runs_as_it_stands(project, tmp_path):
    """In one process, each block after the other; what it writes is in a folder of its own."""
    pages = (ROOT / "README.md", ROOT / "docs" / "tutorials" / "first-encoder.md")
    text = "".join(page.read_text() for page in pages)
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 8
    (tmp_path / "resources").symlink_to(project / "resources")
    code = "\n".join(blocks)
    code += "\nassert set(scores['dataset']) == {'ncbi-disease', 'simlex999'}"
    code += "\nassert scores['difference'].notna().all() and len(again.encode(['a'])[0]) == 192"
    result = run_python(code, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "did you mean 'mirror-phrase'" in result.stdout
