"""The command `python -m workflow_scripts.evaluate`."""

import json
import re

import huggingface_hub
import numpy as np
import pytest
import yaml
from command_words import as_argv
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
WORDS = ["simlex999", "multi*lex-en"]


@pytest.fixture
def evaluate(project, sample_data, tmp_path):
    """Runs the command with changes; returns its rows by data set and metric."""

    def run_command(*flags, **changes):
        options = {"model": project / MODEL, "data_root": sample_data, "device": "cpu"}
        options |= {"pooling": "mean", "output": tmp_path / "scores.json", **changes}
        main(as_argv(options, *flags))
        return {(row["dataset"], row["metric"]): row for row in read_json(options["output"])}

    return run_command


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


def test_rows_are_fractions_with_n_and_coverage_and_are_printed(evaluate, tmp_path, capsys):
    rows = evaluate(pooling="cls", datasets=WORDS)
    assert list(dict.fromkeys(key[0] for key in rows)) == ["simlex999", "multisimlex-en"]
    # without the area of labels, which these sets have none of
    assert {key[1] for key in rows} == {*metrics_of("similarity")} - {"auc"}
    for row in rows.values():
        assert set(row) == set(COLUMNS)
        assert -1 <= row["value"] <= 1 and 0 < row["coverage"] <= 1
    assert re.search(r"^simlex999 +spearman +[-.\d]+ ", capsys.readouterr().out, re.MULTILINE)
    record = read_json(tmp_path / "scores.record.json")
    assert record["pooling"] == "cls" and len(record["weights_sha256"]) == 64


def test_numbers_of_linking_are_those_of_the_workflow(
    evaluate, project, sample_data, tmp_path, capsys
):
    config = tmp_path / "own.yaml"
    config.write_text("retrieval: {linking: {similarity: cosine}}")
    # your own config overrides the default
    for similarity, file in (("dot", project / "config/config.yaml"), ("cosine", config)):
        rows = evaluate(datasets="askapatient", config=file)
        printed = f"retrieval.linking of {file}: similarity {similarity}, k 5"
        assert printed in capsys.readouterr().out
        steps = (project, sample_data, tmp_path, "askapatient", f"--similarity={similarity}")
        assert rows == workflow_rows(*steps)
    assert read_json(tmp_path / "scores.record.json")["retrieval"]["linking"]["k"] == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "retrieval: {linking: {similarity: cosin}}",
            r"own\.yaml: `retrieval\.linking\.similarity` is 'cosin'",
        ),
        ("retrievel: {linking: {}}", r"own\.yaml: unknown key `retrievel`; did you mean"),
    ],
)
def test_a_mistake_in_a_config_is_named(evaluate, tmp_path, text, message):
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(UserError, match=message):
        evaluate(datasets="askapatient", config=tmp_path / "own.yaml")


def test_numbers_of_lexicons_are_those_of_the_workflow(evaluate, project, sample_data, tmp_path):
    rows = evaluate(datasets="bli-en-fr")
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
    evaluate, project, root, language, n, request, capsys
):
    root, dataset = request.getfixturevalue(root), f"tatoeba-{language}"
    model = project / "resources/models/bert-multi-mini"
    options = {"data_root": root, "model": model}
    rows = evaluate(datasets=dataset, **options)
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
        rows = evaluate(datasets="tatoeba-[efrz]?", **options)
        assert {key[0] for key in rows} == {f"tatoeba-{code}" for code in ("es", "fr", "ru")}
        assert "tatoeba-zh: left out" in capsys.readouterr().out


def test_a_missing_data_set_is_named_and_left_out_or_an_error(
    evaluate, sample_data, tmp_path, capsys
):
    root = tmp_path / "root"
    root.mkdir()
    (root / "simlex-999").symlink_to(sample_data / "simlex-999")
    options = {"datasets": WORDS, "data_root": root}
    rows = evaluate(**options)
    assert {key[0] for key in rows} == {"simlex999"}
    assert "multisimlex-en: left out" in capsys.readouterr().out
    with pytest.raises(UserError, match=r"translation\.csv: no such file"):
        evaluate("--strict", output=tmp_path / "no.json", **options)
    assert not (tmp_path / "no.json").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"datasets": "stsben"}, r"--datasets stsben: no such data set in .*did you mean 'stsb'"),
        ({"datasets": "zzz*"}, "--datasets zzz.*: no such data set in"),
        ({"datasets": "zzz"}, r"; of \d\d\d the nearest are (\S+, ){4}\S+$"),
        ({"model": "some/model"}, "while HF_HUB_OFFLINE is set, .* set HF_HUB_OFFLINE=0"),
        ({"data_root": "no/such/root"}, "no/such/root: no such folder"),
        ({"model": "no/such/model/folder"}, "no such model folder"),
        ({"pooling": None}, "does not record one; give --pooling"),
        ({"max_length": 100_000}, "--max-length 100000: more than"),
        ({"max_length": 0}, "--max-length 0: less than"),
        ({"output": "."}, r"--output \.: is a folder"),
        ({"against_pooling": "cls"}, "--against-pooling: no encoder to compare with"),
    ],
)
def test_a_mistake_is_named_and_writes_nothing(changes, message, evaluate, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=message):
        evaluate(**{"datasets": "simlex999", **changes})
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


@pytest.mark.parametrize("change", [{"pooling": "cls"}, {"max_length": 8}])
def test_the_card_takes_scores_of_the_encoder_as_it_is_loaded_alone(evaluate, tmp_path, change):
    (tmp_path / "encoder.json").write_text('{"pooling": "mean", "max_length": 25}')
    (tmp_path / "README.md").write_text("c")
    options = {"datasets": "simlex999", "model": tmp_path, "pooling": None, **change}
    with pytest.raises(UserError, match=f"--card: {' '.join(as_argv(change))} is not how"):
        evaluate("--card", **options)
    (tmp_path / "README.md").unlink()
    with pytest.raises(UserError, match=r"--card: .* has no README\.md"):
        evaluate("--card", **options)


def test_another_encoder_stands_beside(evaluate, project, tmp_path, capsys):
    alone = {pooling: evaluate(datasets=WORDS, pooling=pooling) for pooling in ("mean", "cls")}
    capsys.readouterr()
    rows = evaluate(datasets=WORDS, against=project / MODEL, against_pooling="cls")
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


def test_against_itself_nothing_differs(evaluate, project):
    """What neither folder nor options say of the other encoder is as for the one that is scored."""
    rows = evaluate(datasets="simlex999", max_length=16, against=project / MODEL)
    for row in rows.values():
        assert (row["difference"], row["difference_low"], row["p_value"]) == (0, 0, 1)


def test_an_encoder_s_own_classifier_says_what_texts_are(evaluate, project, sample_data, tmp_path):
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
    made = {"model": MODEL, "corpus": tmp_path / "corpus.txt", "recipe": "classify"}
    sets = (word for change in changes for word in ("--set", change))
    tune.main(as_argv(made | {"output": encoder}, *sets))
    options = {"datasets": "reviews-en", "model": encoder, "pooling": None}
    found = evaluate("--own-classifier", **options)
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


def test_a_record_of_scores_replaces_only_such_a_record(evaluate, tmp_path):
    mine = tmp_path / "scores.record.json"
    mine.write_text("my notes")
    with pytest.raises(UserError, match=r"--output \S+record.json: is another file"):
        evaluate(datasets="simlex999")
    assert mine.read_text() == "my notes"
