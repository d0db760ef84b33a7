"""The command `python -m workflow_scripts.evaluate`."""

import json
import re
import shutil
import subprocess
import sys

import huggingface_hub
import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file
from sklearn.metrics.pairwise import cosine_similarity

from tests.support.suite_files import write_items
from workflow_scripts import tune
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.datasets.catalogues import choose_datasets
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.datasets.sides import strings_key
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS, load_model
from workflow_scripts.embedding.settings import EncoderSettings, SettingsOptions
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.embedding.suite_vectors import number_strings, write_vectors
from workflow_scripts.embedding.torch_setup import set_up_torch
from workflow_scripts.errors import UserError
from workflow_scripts.evaluate import ComparisonOptions, choose_settings, main
from workflow_scripts.files import read_json
from workflow_scripts.retrieval import induce_lexicon, link_entities
from workflow_scripts.scoring import score_lexicon, score_suite
from workflow_scripts.scoring.evaluation import COLUMNS
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tidy_scores import read_scores

MODEL = "resources/models/bert-en-mini"
WORDS = ("simlex999", "multi*lex-en")


def evaluate(project, output, *options):
    arguments = ["--model", project / MODEL, "--output", output, "--device", "cpu", *options]
    main([str(argument) for argument in arguments])
    return {(row["dataset"], row["metric"]): row for row in read_json(output)}


def read_numbered(root, name, block):
    """Return the strings of a data set by side, and its items."""
    entry = read_entry(name, block)
    return number_items(name, entry, read_dataset(root, entry, name))


def workflow_rows(project, sample_data, folder, dataset, *retrieval):
    """Return the rows that the steps of the workflow give for the model, mean pooling."""
    entry = yaml.safe_load((project / "config/datasets.yaml").read_text())["datasets"][dataset]
    lists, items = read_numbered(sample_data, dataset, entry)
    paths = ("vectors.npy", "ranks.tsv", "scores.tsv", "scores.npz")
    vectors, ranks, scores, details = (str(folder / name) for name in paths)
    [file] = write_items(folder, {dataset: items})
    loaded = load_model(str(project / MODEL), set_up_torch(1, "cpu"))
    keyed = {strings_key(dataset, side): strings for side, strings in lists.items()}
    strings, rows = number_strings(keyed)
    write_vectors(vectors, encode_strings(loaded, strings, EncoderSettings("mean", 64)), rows)
    metrics = json.dumps({dataset: metrics_of(items["task"])})
    outputs = ["--encoder=m/r/c/seed0", "--output", scores, "--details", details]
    outputs.append(f"--metrics={metrics}")
    if items["task"] == "lexicon":
        both = [f"--{side}-vectors={vectors}" for side in ("source", "target")]
        induce_lexicon.main([f"--items={file}", *both, *retrieval, "--output", ranks])
        score_lexicon.main([f"--items={file}", "--ranks", ranks, *outputs])
    else:
        files = ["--items", str(file), "--vectors", vectors]
        link_entities.main([*files, *retrieval, "--output", ranks])
        score_suite.main([*files, "--links", ranks, *outputs])
    found = {}
    for row in read_scores(scores):
        shown = {key: getattr(row, key) for key in COLUMNS}
        shown |= {key: pytest.approx(shown[key], abs=1e-6) for key in ("value", "low", "high")}
        found[row.dataset, row.metric] = shown
    return found


def test_rows_are_fractions_with_n_and_coverage_and_are_printed(
    project, sample_data, tmp_path, capsys
):
    options = (
        "--pooling",
        "cls",
        "--datasets",
        "simlex999",
        "multi*lex-en",
        "--data-root",
        sample_data,
    )
    rows = evaluate(project, tmp_path / "scores.json", *options)
    assert list(dict.fromkeys(key[0] for key in rows)) == ["simlex999", "multisimlex-en"]
    # without the area of labels, which these sets have none of
    assert {key[1] for key in rows} == {*metrics_of("similarity")} - {"auc"}
    for row in rows.values():
        assert set(row) == set(COLUMNS)
        assert -1 <= row["value"] <= 1 and 0 < row["coverage"] <= 1
    assert re.search(r"^simlex999 +spearman +[-.\d]+ ", capsys.readouterr().out, re.MULTILINE)
    record = read_json(tmp_path / "scores.record.json")
    assert record["pooling"] == "cls" and len(record["weights_sha256"]) == 64


def test_numbers_of_linking_are_those_of_the_workflow(project, sample_data, tmp_path, capsys):
    output = tmp_path / "scores.json"
    options = ("--pooling", "mean", "--datasets", "askapatient", "--data-root", sample_data)
    rows = evaluate(project, output, *options)
    printed = "retrieval.linking of {}: similarity {}, k 5"
    assert printed.format(project / "config/config.yaml", "dot") in capsys.readouterr().out
    assert rows == workflow_rows(project, sample_data, tmp_path, "askapatient", "--similarity=dot")
    # a config of one's own overrides the default
    config = tmp_path / "own.yaml"
    config.write_text("retrieval: {linking: {similarity: cosine}}")
    rows = evaluate(project, output, *options, "--config", config)
    assert printed.format(config, "cosine") in capsys.readouterr().out
    assert rows == workflow_rows(
        project, sample_data, tmp_path, "askapatient", "--similarity=cosine"
    )
    assert read_json(output.with_suffix(".record.json"))["retrieval"]["linking"]["k"] == 5
    config.write_text("retrieval: {linking: {similarity: cosin}}")
    with pytest.raises(UserError, match=r"own\.yaml: `retrieval\.linking\.similarity` is 'cosin'"):
        evaluate(project, output, *options, "--config", config)


def test_numbers_of_lexicons_are_those_of_the_workflow(project, sample_data, tmp_path):
    options = ("--pooling", "mean", "--datasets", "bli-en-fr", "--data-root", sample_data)
    rows = evaluate(project, tmp_path / "scores.json", *options)
    assert rows["bli-en-fr", "accuracy@1"]["n"] == 88
    retrieval = ("--mapping=supervised", "--regularisation=1", "--retrieval=csls")
    assert rows == workflow_rows(project, sample_data, tmp_path, "bli-en-fr", *retrieval)


def nearest_by_scikit_learn(vectors, left, right):
    """Return accuracy to and from English without and with PCR, by scikit-learn and numpy's SVD."""
    sides, found = [vectors[rows].astype(np.float64) for rows in (left, right)], []
    for _ in range(2):
        cosines, own = cosine_similarity(*sides), np.arange(len(left))
        found += [(cosines.argmax(axis=axis) == own).mean() for axis in (1, 0)]
        directions = [np.linalg.svd(side, full_matrices=False)[2][:1] for side in sides]
        sides = [s - s @ c.T @ c for s, c in zip(sides, directions, strict=True)]
    return found


@pytest.mark.parametrize(
    ("root", "language", "n"),
    [
        ("sample_data", "es", 60),
        pytest.param(
            "shared_data", "fr", 1000, marks=[pytest.mark.shared_data, pytest.mark.nightly]
        ),
        pytest.param("shared_data", "jv", 205, marks=pytest.mark.shared_data),
    ],
)
def test_numbers_of_tatoeba_are_those_of_scikit_learn(
    project, root, language, n, tmp_path, request, capsys
):
    root, dataset = request.getfixturevalue(root), f"tatoeba-{language}"
    model = project / "resources/models/bert-multi-mini"
    options = ("--pooling", "mean", "--data-root", root, "--model", model)
    rows = evaluate(project, tmp_path / "scores.json", *options, "--datasets", dataset)
    assert [key[1] for key in rows] == list(metrics_of("bitext-retrieval"))
    assert {row["n"] for row in rows.values()} == {n}
    entry = yaml.safe_load((project / "config/datasets.yaml").read_text())["datasets"][dataset]
    lists, items = read_numbered(root, dataset, entry)
    loaded = load_model(str(model), set_up_torch(1, "cpu"))
    vectors = encode_strings(loaded, lists[None], EncoderSettings("mean", 64))
    expected = nearest_by_scikit_learn(vectors, items["left"], items["right"])
    assert [row["value"] for row in rows.values()] == pytest.approx(expected, abs=1e-9)
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows.values())
    if n == 60:
        rows = evaluate(project, tmp_path / "all.json", *options, "--datasets", "tatoeba-[efrz]?")
        assert {key[0] for key in rows} == {f"tatoeba-{code}" for code in ("es", "fr", "ru")}
        assert "tatoeba-zh: left out" in capsys.readouterr().out


def test_a_missing_data_set_is_named_and_left_out_or_an_error(
    project, sample_data, tmp_path, capsys
):
    root = tmp_path / "root"
    root.mkdir()
    (root / "simlex-999").symlink_to(sample_data / "simlex-999")
    options = ("--pooling", "cls", "--datasets", *WORDS, "--data-root", root)
    rows = evaluate(project, tmp_path / "scores.json", *options)
    assert {key[0] for key in rows} == {"simlex999"}
    assert "multisimlex-en: left out" in capsys.readouterr().out
    arguments = ["--model", MODEL, "--output", tmp_path / "no.json", *options, "--strict"]
    words = [sys.executable, "-m", "workflow_scripts.evaluate", *map(str, arguments)]
    strict = subprocess.run(words, cwd=project, capture_output=True, text=True)
    assert strict.returncode == 2
    assert "translation.csv: no such file" in strict.stderr
    assert "Traceback" not in strict.stderr and strict.stderr.count("\n") == 1
    assert not (tmp_path / "no.json").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--datasets": "stsben"}, r"--datasets stsben: no such data set in .*did you mean 'stsb'"),
        ({"--datasets": "zzz*"}, "--datasets zzz.*: no such data set in"),
        ({"--datasets": "zzz"}, r"; of \d\d\d the nearest are (\S+, ){4}\S+$"),
        ({"--model": "some/model"}, "while HF_HUB_OFFLINE is set, .* set HF_HUB_OFFLINE=0"),
        ({"--data-root": "no/such/root"}, "no/such/root: no such folder"),
        ({"--model": "no/such/model/folder"}, "no such model folder"),
        ({"--pooling": None}, "does not record one; give --pooling"),
        ({"--max-length": "100000"}, "--max-length 100000: more than"),
        ({"--max-length": "0"}, "--max-length 0: less than"),
    ],
)
def test_a_mistake_is_named_and_writes_nothing(
    changes, message, project, sample_data, tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    options = {"--model": project / MODEL, "--pooling": "cls", "--datasets": "simlex999"}
    options |= {"--data-root": sample_data, "--output": tmp_path / "scores.json", **changes}
    with pytest.raises(UserError, match=message):
        main([str(part) for key, value in options.items() if value for part in (key, value)])
    assert not list(tmp_path.iterdir())


def scored_pairs(path):
    return f"{{task: similarity, language: en, format: scored-pairs, path: {path}}}"


def test_ids_and_patterns_choose_each_data_set_once_in_their_order(tmp_path):
    names = ("one", "two", "two-b", "three")
    blocks = "".join(f"  {name}: {scored_pairs(f'{name}.tsv')}\n" for name in names)
    file = tmp_path / "a.yaml"
    file.write_text(f"datasets:\n{blocks}")
    # of two catalogues that agree
    chosen = choose_datasets([file, file], ["t*", "one", "two"])
    assert [*chosen] == ["two", "two-b", "three", "one"]
    assert chosen["two-b"].path == "two-b.tsv"


@pytest.mark.parametrize(
    ("catalogues", "message"),
    [
        # the same id for two files
        (
            [f"datasets: {{one: {scored_pairs(name)}}}" for name in ("a.tsv", "b.tsv")],
            r"--datasets one: .*0\.yaml and .*1\.yaml define it differently; give one of",
        ),
        (
            [f"datasets: {{one: {scored_pairs('a.tsv')}}}\nsuites: {{s: {{datasets: [one]}}}}"],
            r"0\.yaml: `suites` is a key of earlier versions",
        ),
        (["datasets: s"], "`datasets` is not a mapping of names to blocks"),
        (["datasets: {one: 3}"], r"0\.yaml: `datasets\.one` is 3; give keys"),
    ],
)
def test_a_catalogue_that_is_not_clear_is_refused(tmp_path, catalogues, message):
    files = [tmp_path / f"{number}.yaml" for number in range(len(catalogues))]
    for file, text in zip(files, catalogues, strict=True):
        file.write_text(text)
    with pytest.raises(UserError, match=message):
        choose_datasets(files, ["on*"])


def test_a_misspelt_block_of_the_config_is_an_error(project, sample_data, tmp_path):
    (tmp_path / "mine.yaml").write_text("retrievel: {linking: {similarity: cosine}}\n")
    options = ["--pooling", "cls", "--datasets", "cometa", "--data-root", sample_data]
    with pytest.raises(UserError, match=r"mine.yaml: unknown key `retrievel`; did you mean"):
        evaluate(project, tmp_path / "scores.json", *options, "--config", tmp_path / "mine.yaml")


@pytest.mark.parametrize("change", [("--pooling", "cls"), ("--max-length", "8")])
def test_the_card_takes_scores_of_the_encoder_as_it_is_loaded_alone(
    project, sample_data, tmp_path, change
):
    for name, text in {
        "encoder.json": '{"pooling": "mean", "max_length": 25}',
        "README.md": "c",
    }.items():
        (tmp_path / name).write_text(text)
    options = ["--datasets", "simlex999", "--data-root", sample_data, "--card", "--model", tmp_path]
    with pytest.raises(UserError, match=f"--card: {' '.join(change)} is not how"):
        evaluate(project, tmp_path / "scores.json", *options, *change)


def test_another_encoder_stands_beside(project, sample_data, tmp_path, capsys):
    given = ("--datasets", *WORDS, "--data-root", sample_data)
    alone = {}
    for pooling in ("mean", "cls"):
        alone[pooling] = evaluate(project, tmp_path / "alone.json", "--pooling", pooling, *given)
    capsys.readouterr()
    beside = ("--pooling", "mean", "--against", project / MODEL, "--against-pooling", "cls")
    given = ("--datasets", "simlex999", "multisimlex-en", *given[-2:])
    rows = evaluate(project, tmp_path / "scores.json", *beside, *given)
    for key, row in rows.items():
        assert {name: row[name] for name in COLUMNS} == alone["mean"][key]
        assert row["against"] == alone["cls"][key]["value"]
        assert row["difference"] == pytest.approx(row["value"] - row["against"])
        assert row["difference_low"] < row["difference"] < row["difference_high"]
        assert 0 < row["p_value"] <= 1
    other = read_json(tmp_path / "scores.record.json")["against"]
    assert (other["pooling"], other["max_length"]) == ("cls", 64)
    [mean] = (row for row in other["means"] if row["metric"] == "spearman")
    of_metric = [row["difference"] for key, row in rows.items() if key[1] == "spearman"]
    assert mean["difference"] == pytest.approx(np.mean(of_metric))
    printed = capsys.readouterr().out
    assert re.search(r"^simlex999 +spearman +\d+ +[-.\d]+ +[-.\d]+ +[-+][.\d]+ +", printed, re.M)
    assert re.search(r"^mean of 2 +spearman ", printed, re.M)
    assert f"against {project / MODEL}, pooling cls, 64 tokens at most" in printed


def test_what_an_encoder_records_holds_for_it_beside_another(project, tmp_path):
    """Of pooling and length of --against: what is given, what it records, what --model has."""
    recorded = {"pooling": "cls", "max_length": 12}
    (tmp_path / "encoder.json").write_text(json.dumps(recorded))
    own = {"pooling": "mean", "max_length": 40}

    def chosen(against_pooling=None):
        comparison = ComparisonOptions(str(tmp_path), against_pooling)
        return [*choose_settings(str(project / MODEL), SettingsOptions(**own), comparison)]

    first = EncoderSettings("mean", 40)
    assert chosen() == [first, EncoderSettings("cls", 12)]
    assert chosen("max") == [first, EncoderSettings("max", 12)]
    (tmp_path / "encoder.json").write_text(json.dumps({"max_length": 12}))
    assert chosen() == [first, EncoderSettings("mean", 12)]
    # prompts go with the pooling that they are recorded with
    own["prompt"] = ["query=a: "]
    assert chosen()[1] == EncoderSettings("mean", 12, prompts={"query": "a: "})
    (tmp_path / "encoder.json").write_text(json.dumps(recorded))
    assert chosen()[1] == EncoderSettings("cls", 12)


def test_against_itself_nothing_differs(project, sample_data, tmp_path):
    """What neither folder nor options say of the other encoder is as for the one that is scored."""
    given = ("--datasets", "simlex999", "--data-root", sample_data, "--pooling", "mean")
    more = ("--max-length", "16", "--against", project / MODEL)
    for row in evaluate(project, tmp_path / "scores.json", *given, *more).values():
        assert (row["difference"], row["difference_low"], row["p_value"]) == (0, 0, 1)
    with pytest.raises(UserError, match="--against-pooling: no encoder to compare with"):
        evaluate(project, tmp_path / "scores.json", *given, "--against-pooling", "cls")


def test_scores_go_onto_the_card_when_asked(project, sample_data, tmp_path):
    model = shutil.copytree(project / MODEL, tmp_path / "model")
    options = ["--pooling", "mean", "--datasets", "simlex999", "--data-root", str(sample_data)]
    options += ["--model", str(model), "--output", str(tmp_path / "scores.json"), "--card"]
    main([*options, "--device", "cpu"])
    [row] = (r for r in read_json(tmp_path / "scores.json") if r["metric"] == "spearman")
    line = f"| simlex999 | spearman | {row['value']:.4f} | {row['n']} |"
    assert line in (model / "README.md").read_text()
    (model / "README.md").unlink()
    with pytest.raises(UserError, match=r"--card: .* has no README\.md"):
        main([*options, "--device", "cpu"])


def test_an_encoder_s_own_classifier_says_what_texts_are(project, sample_data, tmp_path):
    catalogue = read_mapping(project / "config" / "datasets-multilingual.yaml")["datasets"]
    lists, items = read_numbered(sample_data, "reviews-en", catalogue["reviews-en"])
    strings = lists[None]
    columns = (items[key] for key in ("texts", "labels", "parts"))
    rows = list(zip(*columns, strict=True))
    lines = [f"{strings[row]}||{label}" for (row,), label, part in rows if part == "train"]
    (tmp_path / "corpus.txt").write_text("\n".join(lines) + "\n")
    encoder = tmp_path / "encoder"
    changes = ["learning_rate=1e-3", "epochs=2", "batch_size=16", "max_length=48"]
    changes += ["embed_max_length=48", "development=null"]
    made = ["--model", MODEL, "--corpus", tmp_path / "corpus.txt", "--recipe", "classify"]
    made += ["--output", encoder, *(word for one in changes for word in ("--set", one))]
    tune.main([str(word) for word in made])
    wanted = ["--datasets", "reviews-en", "--data-root", sample_data, "--own-classifier"]
    found = evaluate(project, tmp_path / "scores.json", *wanted, "--model", encoder)
    record = read_json(tmp_path / "scores.record.json")
    assert record["classification"] == {"protocol": "own classifier"}

    vectors = encode_strings(
        load_model(str(encoder), set_up_torch(1, "cpu")), strings, EncoderSettings("mean", 48)
    )
    own = load_file(encoder / OWN_WEIGHTS)
    logits = vectors @ own["own.text_classifier.weight"].T + own["own.text_classifier.bias"]
    classes = np.array(sorted({label for _, label, _ in rows}))[logits.argmax(axis=1)]
    hits = [classes[row] == label for (row,), label, part in rows if part == "test"]
    assert found["reviews-en", "accuracy"]["value"] == pytest.approx(np.mean(hits))
    assert len(hits) == 48


def test_a_record_of_scores_replaces_only_such_a_record(project, sample_data, tmp_path):
    mine = tmp_path / "scores.record.json"
    mine.write_text("my notes")
    given = [
        "--data-root",
        sample_data,
        "--datasets=simlex999",
        "--pooling=mean",
        "--max-length=16",
    ]
    with pytest.raises(UserError, match=r"--output \S+record.json: is another file"):
        evaluate(project, tmp_path / "scores.json", *given)
    assert mine.read_text() == "my notes"
