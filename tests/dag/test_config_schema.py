import copy
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
import yaml

from workflow_scripts.dag.config_schema import load_schema
from workflow_scripts.dag.outputs import Outputs
from workflow_scripts.dag.plan import Plan
from workflow_scripts.errors import UserError


@pytest.fixture
def config(embedded_config, project, monkeypatch):
    monkeypatch.chdir(project)
    return copy.deepcopy(embedded_config)


def set_key(config, path, value):
    *parents, last = path.split("/")
    for key in parents:
        config = config[int(key) if key.isdigit() else key]
    config[int(last) if last.isdigit() else last] = value


def test_the_schema_is_a_valid_and_closed_schema():
    schema = load_schema()
    jsonschema.Draft202012Validator.check_schema(schema)

    def closed(node, path):
        if isinstance(node, dict):
            if "properties" in node and "additionalProperties" in node:
                assert node["additionalProperties"] is False, path
            for key, inner in node.items():
                closed(inner, f"{path}/{key}")

    closed(schema, "")


def test_every_key_of_the_schema_is_documented(project):
    text = (project / "docs" / "config.md").read_text()

    def keys(node):
        if isinstance(node, dict):
            for key, inner in node.items():
                if key == "properties":
                    yield from inner
                yield from keys(inner)

    missing = {key for key in keys(load_schema()) if not re.search(rf"[`.]{key}[`.\[]", text)}
    assert not missing


def test_the_embedded_default_is_valid(config):
    plan = Plan(config)
    numbers = [*range(1, 11), *range(12, 22)]
    published = [f"table{number:02d}" for number in numbers]
    assert set(published) <= set(plan.tables)
    assert {"running-time", "isotropy-eigenvectors", "table02-dictionary-only"} == set(
        plan.tables
    ) - set(published)
    assert plan.figures == ["figure04", "figure05", "figure07", "figure08"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tabels", {}, "unknown key `tabels`; did you mean 'tables'?"),
        ("data/rooot", "x", "unknown key `data.rooot`; did you mean 'root'?"),
        (
            "models/bert-en/pth",
            "x",
            "unknown key `models.bert-en.pth`; did you mean 'path'",
        ),
        ("recipes/mirror-word/temprature", 0.1, "temprature.*did you mean 'temperature'"),
        ("corpora/words-en/sise", 5, "sise.*did you mean 'size'"),
        ("datasets/sts12/langauge", "en", "langauge.*did you mean 'language'"),
        ("tables/table01/rows/1/recpie", "x", "recpie.*did you mean 'recipe'"),
        ("data/missing", "ignore", "`data.missing` is 'ignore'; use one of: error, skip"),
        ("seeds", [], "seeds"),
        ("recipes/mirror-word/learning_rate", "3e-4", "write 3.0e-4"),
        ("recipes/mirror-word/dropout", 1.5, "recipes.mirror-word.dropout"),
        ("recipes/mirror-word/dropout", {"atention": 0.1}, "atention.*did you mean 'attention'"),
        (
            "recipes/mirror-word/development",
            {"suite": "words-dev", "dataset": "simlex999"},
            "recipes.mirror-word.development.every: missing",
        ),
        (
            "recipes/mirror-word/development",
            {"suite": "words-dev", "dataset": "simlex", "every": 5},
            "`recipes.mirror-word.development.dataset` is `simlex`.*did you mean 'simlex999'",
        ),
        (
            "recipes/mirror-word/development",
            {"suite": "sts-dev", "dataset": "simlex999", "every": 5},
            "`suites.sts-dev` lacks dataset `simlex999`",
        ),
        (
            "recipes/mirror-word/development",
            {"suite": "words-fr", "dataset": "bli-en-fr", "every": 5},
            "of task lexicon; a development set is one of task similarity or entity-linking",
        ),
        ("recipes/mirror-word/temperature", 0, "recipes.mirror-word.temperature"),
        ("threads/tuning", "two", "`threads.tuning` is 'two'; it must be of type integer"),
        ("tables/table01/rows/2/recipe", "base-mpp", "`base-mpp`, which is not in `recipes`"),
        ("tables/table01/rows/4/model", "bert-mult", "did you mean 'bert-multi'"),
        ("tables/table01/rows/1/model", "bart-{language}", "`bart-en`, .*did you mean 'bert-en'"),
        (
            "tables/table09/columns/0/with",
            {},
            "no value for {level}.*give it in the column's `with`",
        ),
        ("tables/table07/columns/0/datasets/0", "sts11", "`sts11`, which is not in `datasets`"),
        ("tables/table07/columns/0/dataset", "sts12", "needs either `dataset` or `datasets`"),
        ("tables/table03/rows/3/against", "bert-mq", "which is no row of the table; did you mean"),
        ("tuning_grid/shown", ["few-word"], "`few-word`, which is not in .*'few-words'"),
        ("figures/figure04/rows/0/recipe", "base-mpp", "`base-mpp`, which is not in `recipes`"),
        ("figures/figure05/kind", "line", "use one of: roc, lines, cosines, buckets"),
        ("figures/figure08/corpora/0", "bucket-1", "`bucket-1`, which is not in `corpora`"),
        ("models/lexicon-en", {"same_as": "bert-mult"}, "`bert-mult`, which is not in `models`"),
        ("models/lexicon-en", {"same_as": "lexicon-fr"}, "itself another name"),
        ("models/bert-en/absent", "none", "needs one of `path`, `hub`"),
        ("recipes/mirror-phrase/like", "mirror-words", "`mirror-words`, .*'mirror-word'"),
        ("recipes/mirror-word/like", "mirror-phrase", "in a circle"),
        ("datasets/isotropy-word/corpus", "words-eng", "`words-eng`, .*did you mean 'words-en'"),
        ("corpora/words-en-fr/of", ["words-en", "words-frr"], "words-frr.*did you mean 'words-fr'"),
        ("tables/table01/columns/0/dataset", "multisimlex-eng", "did you mean 'multisimlex-en'"),
        ("tables/table02/rows/2/corpus", "nams", "`nams`, .* did you mean 'names'"),
        ("tables/table01/rows/1/corpus", "words-en", "does not tune; remove the key"),
        ("models/bert-en/path", "no/such/folder", "no/such/folder has no config.json"),
        ("models/Bert", {"path": "x"}, "ids: small letters and digits"),
        ("models/a--b", {"path": "x"}, "ids: small letters and digits"),
        ("data/root", "no/such/root", "no such file"),
        ("tuning_grid/axis", {}, "unknown key `tuning_grid.axis`; did you mean 'axes'"),
        ("tuning_grid/searches/words-bert/modle", "x", "modle.*did you mean 'model'"),
        ("tuning_grid/searches/words-bert/axes", {"epochs": 1}, "it must be of type array"),
        ("tuning_grid/cells_per_job", 0, "tuning_grid.cells_per_job"),
        ("tuning_grid/searches/Words", {}, "ids: small letters and digits"),
    ],
)
def test_a_mistake_is_one_error_that_names_the_key_and_the_remedy(config, path, value, message):
    set_key(config, path, value)
    with pytest.raises(UserError, match=message) as caught:
        Plan(config)
    assert "\n" not in str(caught.value)


def outputs_of(config):
    return Outputs(Plan(config))


def rows_of(config, table):
    return {row["id"]: row for row in outputs_of(config).table_block(table)["rows"]}


def scores_of(cell):
    return [part["scores"] for part in cell["parts"]]


def root_without(tmp_path, sampler, *folders):
    root = tmp_path / "root"
    root.mkdir()
    for folder in sampler.iterdir():
        if folder.name not in folders:
            (root / folder.name).symlink_to(folder)
    return str(root)


def test_a_missing_data_set_can_leave_out_its_own_cells_only(config, tmp_path, sampler):
    config["data"]["root"] = root_without(tmp_path, sampler, "cometa")
    with pytest.raises(UserError, match=r"cometa.*missing: skip"):
        Plan(config)
    config["data"]["missing"] = "skip"
    cells = rows_of(config, "table02")["bert-mp"]["cells"]
    assert "cometa" in cells["cometa@1"]["not_run"]
    assert "parts" in cells["askapatient@1"]
    assert "cometa" not in Plan(config).suite_datasets("bel")


def test_a_missing_corpus_or_file_of_vectors_leaves_out_its_rows_where_that_is_asked(
    config, tmp_path, sampler
):
    config["data"]["root"] = root_without(tmp_path, sampler, "names", "static-vectors")
    with pytest.raises(UserError, match=r"no such file, needed by "):
        Plan(config)
    config["data"]["missing"] = "skip"
    rows = rows_of(config, "table02")
    assert rows["bert-mirror"]["cells"]["ncbi-disease@1"]["not_run"].startswith("corpus names: ")
    assert "parts" in rows["bert-mp"]["cells"]["ncbi-disease@1"]
    reason = rows_of(config, "table01")["fasttext"]["cells"]["en"]["not_run"]
    assert reason == "model fasttext-en: en.vec is not in the data root"
    isotropy = rows_of(config, "table09")["bert-mp"]["cells"]
    assert isotropy["phrase"]["not_run"].startswith("data set isotropy-phrase: ")
    assert "parts" in isotropy["word"]


def test_a_mean_over_data_sets_leaves_out_missing_ones_and_says_so(config, tmp_path, sampler):
    root = tmp_path / "whole"
    shutil.copytree(sampler, root)
    shutil.rmtree(root / "semeval-sts-original" / "STS13-en-test")
    config["data"] |= {"root": str(root), "missing": "skip"}
    block = outputs_of(config).table_block("table07")
    cell = block["rows"][0]["cells"]["avg"]
    assert [part["dataset"] for part in cell["parts"]] == [
        *("sts12", "sts14", "sts15", "sts16", "stsb", "sickr")
    ]
    assert "the mean leaves out sts13" in cell["departures"]
    assert block["notes"][0] == "The mean leaves out sts13, which is not in the data root."


def test_cells_resolve_to_one_score_file_a_seed(config):
    config["seeds"] = [33, 44]
    rows = rows_of(config, "table16")
    base = "results/scores/bert-multi"
    # the row's own suite: one untuned model is one encoder for all languages
    for language in ("en", "fr"):
        assert scores_of(rows["mbert-mp"]["cells"][language]) == [
            [f"{base}/base-mp/none/seed0/base-multi.tsv"]
        ]
    assert scores_of(rows["mbert-mirror"]["cells"]["fr"]) == [
        [f"{base}/mirror-word/words-fr/seed{seed}/words-fr.tsv" for seed in (33, 44)]
    ]
    assert "no monolingual model" in rows["bert-mirror"]["cells"]["fr"]["not_run"]
    # another name of a model is the model: nothing is tuned twice
    pairs = rows_of(config, "table06")
    assert scores_of(pairs["bert-mirror"]["cells"]["en-fr"])[0][0] == (
        "results/scores/bert-multi--bert-multi/mirror-word/words-en--words-fr/seed33/bli-en-fr.tsv"
    )
    crossed = rows_of(config, "table05")["mbert-mirror"]["cells"]["en-fr"]
    assert scores_of(crossed)[0][0] == (f"{base}/mirror-word/words-en-fr/seed33/clws-en-fr.tsv")


def test_one_encoder_of_both_languages_of_a_lexicon_is_embedded_once_for_all_of_them(config):
    plan = Plan(config)

    class Wildcards(dict):
        __getattr__ = dict.__getitem__

    def suites(recipe, corpora, seed):
        ids = dict(zip(("source_corpus", "target_corpus"), corpora, strict=True))
        wildcards = Wildcards(
            source_model="bert-multi",
            target_model="bert-multi",
            recipe=recipe,
            seed=seed,
            dataset="bli-en-fr",
            **ids,
        )
        return [plan.lexicon_side(wildcards, side) for side in ("source", "target")]

    folder = "results/embeddings/bert-multi"
    both = suites("base-mp", ("none", "none"), "0")
    assert {side.vectors for side in both} == {f"{folder}/base-mp/none/seed0/base-multi.npy"}
    assert {side.items for side in both} == {"results/datasets/base-multi/items.json"}
    tuned = suites("mirror-word", ("words-en", "words-fr"), "33")
    assert [side.vectors for side in tuned] == [
        f"{folder}/mirror-word/words-{lang}/seed33/words-{lang}.npy" for lang in ("en", "fr")
    ]


def test_a_column_may_name_what_its_rows_are_made_with(config):
    rows = rows_of(config, "table14")
    assert scores_of(rows["bert-mirror"]["cells"]["phrase-is"]) == [
        ["results/scores/bert-en/mirror-phrase/names/seed33/isotropy-phrase.tsv"]
    ]
    rates = rows_of(config, "table12")["roberta-mirror"]["cells"]
    base = "results/scores/roberta-en/mirror-sentence-cls"
    end = "sentences-en/seed33/sts-en.tsv"
    assert scores_of(rates["0.05"]) == [[f"{base}-dropout-0.05/{end}"]] * 7
    assert scores_of(rates["0.1"]) == [[f"{base}/{end}"]] * 7


def test_a_change_of_a_recipe_changes_those_that_are_like_it(config):
    plan = Plan(config)
    like = plan.config["recipes"]["mirror-sentence-dropout-0.05"]
    assert (like["dropout"], like["temperature"]) == (0.05, 0.1)
    config["recipes"]["mirror-sentence"]["temperature"] = 0.3
    assert Plan(config).config["recipes"]["mirror-sentence-dropout-0.05"]["temperature"] == 0.3


def paper_like(config):
    """Make everything of Table 3's BERT rows the paper's."""
    recipes = yaml.safe_load((Path("config") / "recipes.yaml").read_text(encoding="utf-8"))
    config["recipes"] = recipes["recipes"]
    config["data"]["paper"] = True
    config["models"]["bert-en"]["paper"] = True
    config["corpora"]["sentences-en"]["paper"] = True
    return config


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (None, None, None),
        ("data/paper", False, "the data are not the paper's"),
        ("models/bert-en/paper", False, "model bert-en is not the paper's"),
        ("corpora/sentences-en/paper", False, "corpus sentences-en is not the paper's"),
        (
            "recipes/mirror-sentence/temperature",
            0.05,
            "recipe: temperature 0.05, in the paper 0.04",
        ),
        ("datasets/sts12/unlike_paper", "tokenised", "data set sts12: tokenised"),
    ],
)
def test_a_cell_is_the_paper_s_only_where_model_data_and_recipe_are(config, path, value, reason):
    config = paper_like(config)
    if path:
        set_key(config, path, value)
    cells = rows_of(config, "table03")["bert-mirror"]["cells"]
    assert cells["sts12"]["departures"] == ([reason] if reason else [])
    roberta = rows_of(config, "table03")["roberta-mirror"]["cells"]["sts12"]["departures"]
    assert "model roberta-en is not the paper's" in roberta


def test_retrieval_that_is_not_the_paper_s_is_a_departure(config):
    config = paper_like(config)
    cell = rows_of(config, "table06")["bert-mp"]["cells"]["en-fr"]
    assert "retrieval.lexicon: regularisation 1.0, in the paper 0" in cell["departures"]
    config["retrieval"]["linking"]["similarity"] = "cosine"
    cell = rows_of(config, "table02")["bert-mp"]["cells"]["ncbi-disease@1"]
    assert cell["departures"] == ["retrieval.linking: similarity cosine, in the paper dot"]


def test_a_recipe_of_one_s_own_is_not_the_paper_s(config):
    config = paper_like(config)
    config["recipes"]["mine"] = {"like": "mirror-sentence"}
    config["tables"]["table03"]["rows"][3] |= {"recipe": "mine"}
    cell = rows_of(config, "table03")["bert-mirror"]["cells"]["sts12"]
    assert cell["departures"] == ["recipe mine is not the paper's"]


def test_marks_of_the_paper_reach_no_step(config):
    config["corpora"]["sentences-en"]["paper"] = True
    plan = Plan(config)
    assert "paper" not in plan.corpus_block("sentences-en")
    assert "unlike_paper" not in plan.suite_block("clws-en-fr")


def test_word_vectors_cannot_be_tuned(config):
    config["tables"]["table10"]["rows"][3]["model"] = "fasttext-en"
    with pytest.raises(UserError, match="file of word vectors, which recipe `mirror-word` cannot"):
        Plan(config)


@pytest.mark.parametrize("config_text", ["tables: [", "just text"])
def test_a_config_that_is_no_yaml_mapping_stops_without_traceback(config_text, tmp_path, project):
    import subprocess
    import sys

    bad = tmp_path / "bad.yaml"
    bad.write_text(config_text)
    result = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--configfile", str(bad)],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert "Traceback" not in result.stdout + result.stderr
