"""A whole config: mistakes, and what its cells and differences from the paper come to."""

import copy
import json
import re
import shutil

import pytest
import yaml
from plans import plan_of, rows_of, scores_of, set_key

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.errors import UserError


@pytest.fixture
def config(default_config, project, monkeypatch):
    monkeypatch.chdir(project)
    # the blocks of models and seeds are changed below as no user's config does it
    return copy.deepcopy(default_config) | {"trained_encoders": []}


def test_the_embedded_default_is_valid(config):
    plan = plan_of(config)
    numbers = [*range(1, 11), *range(12, 22)]
    published = [f"table{number:02d}" for number in numbers]
    further = {"running-time", "isotropy-eigenvectors", "table02-dictionary-only"}
    cmlm = {f"cmlm-table{number:02d}" for number in range(1, 12)}
    cmlm |= {"xeval-open", "sentiment-open"}
    beside = {"methods-english", "methods-multilingual"}
    assert set(plan.typed.tables) == {*published, *further, *cmlm, *beside}
    figures = ["figure04", "figure05", "figure07", "figure08", "cmlm-figure02", "cmlm-figure03"]
    assert list(plan.typed.figures) == figures
    pages = {name: f"results/tables/{name}.html" for name in plan.typed.tables}
    found = plan.outputs.papers()
    assert set(found) == {"mirror-bert", "cmlm"}
    drawn = [f"results/figures/{name}.png" for name in figures[-2:]]
    assert found["cmlm"] == [pages[one] for one in plan.typed.tables if one in cmlm] + drawn
    assert not set(found["mirror-bert"]) & set(found["cmlm"])


WATCHED, START = "recipes/mirror-word/development", "recipes/mirror-word/start"


def develop(dataset):
    return {"dataset": dataset, "every": 5}


def start_of(recipe, corpus="words-en"):
    return {"recipe": recipe, "corpus": corpus}


TEXT = {"method": "cmlm", "pooling": "mean", "embed_max_length": 25, "max_length": 25}
TEXT |= {"batch_size": 8, "epochs": 1, "held_out": {"corpus": "words-eng", "every": 9}}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tabels", {}, "unknown key `tabels`; did you mean 'tables'?"),
        ("data/rooot", "x", "unknown key `data.rooot`; did you mean 'root'?"),
        ("models/bert-en/pth", "x", "unknown key `models.bert-en.pth`; did you mean 'path'"),
        ("recipes/mirror-word/temprature", 0.1, "temprature.*did you mean 'temperature'"),
        ("recipes/mirror-word/method", "miror", "did you mean 'mirror'"),
        ("corpora/words-en/sise", 5, "sise.*did you mean 'size'"),
        ("datasets/sts12/langauge", "en", "langauge.*did you mean 'language'"),
        ("datasets/sts12/task", "linking", "`datasets.sts12.task` is `linking`.*similarity"),
        ("tables/table01/rows/1/recpie", "x", "recpie.*did you mean 'recipe'"),
        ("tables/table01/paper", "mirror-brt", "not in `papers`; did you mean 'mirror-bert'"),
        ("data/missing", "ignore", "`data.missing` is 'ignore'; use one of: error, skip"),
        ("seeds", [], "seeds"),
        ("recipes/mirror-word/learning_rate", "3e-4", "write 3.0e-4"),
        ("recipes/mirror-word/dropout", 1.5, "recipes.mirror-word.dropout"),
        ("recipes/mirror-word/dropout", {"atention": 0.1}, "atention.*did you mean 'attention'"),
        (WATCHED, {"dataset": "simlex999"}, "development.every` is missing"),
        (WATCHED, develop("simlex"), "set` is `simlex`.*did you mean 'simlex999'"),
        (WATCHED, develop("bli-en-fr"), "lexicon; .* needs task similarity or entity-l"),
        ("recipes/mirror-word/temperature", 0, "recipes.mirror-word.temperature"),
        (START, start_of("mirror-wrd"), "did you mean 'mirror-word'"),
        (START, start_of("base-mp"), "start.recipe` is `base-mp`, which tunes nothing"),
        (START, start_of("mirror-sentence", "words-eng"), "did you mean 'words-en'"),
        (START, start_of("mirror-word"), "circular"),
        ("recipes/mirror-word-lr-5e-5", TEXT, "held_out.corpus` is `words-eng`.*mean 'words-en'"),
        ("threads/tuning", "two", "`threads.tuning` is 'two'; give a whole number"),
        ("tables/table01/rows/2/recipe", "base-mpp", "`base-mpp`, which is not in `recipes`"),
        ("tables/table01/rows/4/model", "bert-mult", "did you mean 'bert-multi'"),
        ("tables/table01/rows/1/model", "bart-{language}", "`bart-en`, .*did you mean 'bert-en'"),
        ("tables/table09/columns/0/with", {}, "no value for {level}.*in the column's `with`"),
        ("tables/table07/columns/0/datasets/0", "sts11", "`sts11`, which is not in `datasets`"),
        ("tables/table07/columns/0/dataset", "sts12", "give one of `dataset`, `datasets`"),
        ("tables/table02/columns/0/metric", "spearman", "which is none of task entity-linking"),
        ("tables/table03/rows/3/against", "bert-mq", "not another row of the table; did you mean"),
        ("tuning_grid/shown", ["few-word"], "`few-word`, which is not in .*'few-words'"),
        ("figures/figure04/rows/0/recipe", "base-mpp", "`base-mpp`, which is not in `recipes`"),
        ("figures/figure05/kind", "line", "did you mean 'lines'"),
        ("figures/figure08/corpora/0", "bucket-1", "`bucket-1`, which is not in `corpora`"),
        ("models/lexicon-en", {"same_as": "bert-mult"}, "`bert-mult`, which is not in `models`"),
        ("models/lexicon-en", {"same_as": "lexicon-fr"}, "itself another name"),
        ("models/bert-en/absent", "none", "needs one of `path`, `hub`"),
        ("recipes/mirror-phrase/like", "mirror-words", "`mirror-words`, .*'mirror-word'"),
        ("recipes/mirror-word/like", "mirror-phrase", "circular"),
        ("datasets/isotropy-word/corpus", "words-eng", "`words-eng`, .*did you mean 'words-en'"),
        ("corpora/words-en-fr/of", ["words-en", "words-frr"], "words-frr.*did you mean 'words-fr'"),
        ("corpora/names/path", "no.txt", "`corpora.names.path`"),
        ("tables/table01/columns/0/dataset", "multisimlex-eng", "did you mean 'multisimlex-en'"),
        ("tables/table02/rows/2/corpus", "nams", "`nams`, .* did you mean 'names'"),
        ("tables/table01/rows/1/corpus", "words-en", "does not tune; remove the key"),
        ("tables/table10/rows/3/model", "fasttext-en", "word vectors, which recipe `mirror-word`"),
        ("tables/table01/rows/0/recipe", "xtreme", "sets `layer` for.*without `layer`"),
        ("models/bert-en/path", "no/such/folder", "no/such/folder has no config.json"),
        ("models/Bert", {"path": "x"}, "ids: small letters and digits"),
        ("data/root", "no/such/root", "no such file"),
        ("tuning_grid/axis", {}, "unknown key `tuning_grid.axis`; did you mean 'axes'"),
        ("tuning_grid/searches/words-bert/modle", "x", "modle.*did you mean 'model'"),
        ("tuning_grid/searches/words-bert/axes", {"epochs": 1}, "give a list"),
        ("tuning_grid/cells_per_job", 0, "tuning_grid.cells_per_job"),
    ],
)
def test_a_mistake_is_one_error_that_names_the_key_and_the_remedy(config, path, value, message):
    set_key(config, path, value)
    with pytest.raises(UserError, match=message) as caught:
        plan_of(config)
    assert "\n" not in str(caught.value)


def test_a_block_alone_lies_over_the_default(project, tmp_path, monkeypatch):
    """As docs/howto/extend-the-tables.md has it: `models` alone, `tables` alone."""
    from workflow_scripts.configuration.layers import read_layers
    from workflow_scripts.plan.plan import Plan

    monkeypatch.chdir(project)
    own = tmp_path / "own.yaml"
    own.write_text("models: {bert-en: {path: resources/models/bert-bio-mini}}\n")
    plan = Plan(read_layers([own]))
    assert plan.models.location("bert-en") == "resources/models/bert-bio-mini"
    table = {"title": "T", "columns": [], "rows": []}
    table["columns"] = [{"id": "en", "label": "EN", "dataset": "multisimlex-en"}]
    table["rows"] = [{"id": "r", "label": "R", "model": "bert-en", "recipe": "base-mp"}]
    own.write_text(
        yaml.safe_dump({"tables": {"mine": table}, "results": "elsewhere", "trained_encoders": []})
    )
    plan = Plan(read_layers([own]))
    assert {"mine", "table01"} <= set(plan.typed.tables)
    scores = plan.outputs.resolved("tables", "mine")["rows"][0]["cells"]["en"]["parts"][0]["scores"]
    assert scores == ["elsewhere/scores/bert-en/base-mp/none/seed0/similarity.tsv"]
    own.write_text("modles: {}\n")
    with pytest.raises(UserError, match=r"own.yaml: unknown key `modles`; did you mean 'models'"):
        Plan(read_layers([own]))


def root_without(tmp_path, sample_data, *folders):
    root = tmp_path / "root"
    root.mkdir()
    for folder in sample_data.iterdir():
        if folder.name not in folders:
            (root / folder.name).symlink_to(folder)
    return str(root)


def test_a_missing_data_set_can_leave_out_its_own_cells_only(config, tmp_path, sample_data):
    config["data"]["root"] = root_without(tmp_path, sample_data, "cometa")
    with pytest.raises(UserError, match=r"cometa.*missing: skip"):
        plan_of(config)
    config["data"]["missing"] = "skip"
    cells = rows_of(config, "table02")["bert-mp"]["cells"]
    assert "cometa" in cells["cometa@1"]["not_run"]
    assert "parts" in cells["askapatient@1"]
    assert "cometa" not in plan_of(config).required.datasets


def test_a_missing_corpus_or_file_of_vectors_leaves_out_its_rows_where_that_is_asked(
    config, tmp_path, sample_data
):
    config["data"]["root"] = root_without(tmp_path, sample_data, "names", "static-vectors")
    with pytest.raises(UserError, match=r"no such file, needed by "):
        plan_of(config)
    config["data"]["missing"] = "skip"
    rows = rows_of(config, "table02")
    assert rows["bert-mirror"]["cells"]["ncbi-disease@1"]["not_run"].startswith("corpus names: ")
    assert "parts" in rows["bert-mp"]["cells"]["ncbi-disease@1"]
    reason = rows_of(config, "table01")["fasttext"]["cells"]["en"]["not_run"]
    assert reason == "model fasttext-en: en.vec is not in the data root"
    isotropy = rows_of(config, "table09")["bert-mp"]["cells"]
    assert isotropy["phrase"]["not_run"].startswith("data set isotropy-phrase: ")
    assert "parts" in isotropy["word"]


def test_a_mean_over_data_sets_leaves_out_missing_ones_and_says_so(config, tmp_path, sample_data):
    root = tmp_path / "whole"
    shutil.copytree(sample_data, root)
    shutil.rmtree(root / "semeval-sts-original" / "STS13-en-test")
    config["data"] |= {"root": str(root), "missing": "skip"}
    block = plan_of(config).outputs.resolved("tables", "table07")
    cell = block["rows"][0]["cells"]["avg"]
    shown = [part["dataset"] for part in cell["parts"]]
    assert shown == ["sts12", "sts14", "sts15", "sts16", "stsb", "sickr"]
    assert "the mean leaves out sts13" in cell["differences_from_paper"]
    assert "The mean leaves out sts13, which is not in the data root." in block["notes"]


def test_cells_resolve_to_one_score_file_a_seed(config):
    config["seeds"] = [33, 44]
    rows = rows_of(config, "table16")
    base = "results/scores/bert-multi"
    # one untuned model is one encoder for all languages
    for language in ("en", "fr"):
        assert scores_of(rows["mbert-mp"]["cells"][language]) == [
            [f"{base}/base-mp/none/seed0/similarity.tsv"]
        ]
    assert scores_of(rows["mbert-mirror"]["cells"]["fr"]) == [
        [f"{base}/mirror-word/words-fr/seed{seed}/similarity.tsv" for seed in (33, 44)]
    ]
    assert "no monolingual model" in rows["bert-mirror"]["cells"]["fr"]["not_run"]
    # another name of a model is the model: nothing is tuned twice
    pairs = rows_of(config, "table06")
    assert scores_of(pairs["bert-mirror"]["cells"]["en-fr"])[0][0] == (
        "results/scores/bert-multi--bert-multi/mirror-word/words-en--words-fr/seed33/bli-en-fr.tsv"
    )
    crossed = rows_of(config, "table05")["mbert-mirror"]["cells"]["en-fr"]
    assert scores_of(crossed)[0][0] == (f"{base}/mirror-word/words-en-fr/seed33/similarity.tsv")


class Wildcards(dict):
    __getattr__ = dict.__getitem__


SEARCHES = {"searches": {"few-words": {"suite": "x"}}}


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"suites": {"mine": {"datasets": ["stsb"]}}}, "suites"),
        ({"tables": {"table03": {"suite": "mine"}}}, "tables.table03.suite"),
        (
            {"tables": {"table03": {"rows+": [{"id": "r", "suite": "base-en"}]}}},
            "tables.table03.rows.r.suite",
        ),
        ({"figures": {"figure04": {"suite": "qnli"}}}, "figures.figure04.suite"),
        (
            {"figures": {"figure05": {"series": [{"id": "s", "suite": "sts12"}]}}},
            "figures.figure05.series.s.suite",
        ),
        (
            {"recipes": {"mirror-word": {"development": {"suite": "words-dev"}}}},
            "recipes.mirror-word.development.suite",
        ),
        ({"tuning_grid": SEARCHES}, "tuning_grid.searches.few-words.suite"),
    ],
)
def test_a_config_of_before_gets_one_line_that_names_file_and_key(
    config, key, tmp_path, project, monkeypatch
):
    from workflow_scripts.plan.plan import Plan

    monkeypatch.chdir(project)
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(config))
    with pytest.raises(UserError) as caught:
        Plan(read_layers([file]))
    assert str(caught.value) == (
        f"{file}: `{key}` is a key of earlier versions: tables now name only data sets; "
        "remove it (a "
        "data set may set `suite`; docs/reference/config.md)"
    )


def test_a_data_set_may_have_a_suite_and_a_placeholder_that_name(config):
    config["datasets"]["sts12"]["suite"] = "mine"
    config["tables"]["table03"]["columns"][0]["with"] = {"suite": "any"}
    plan = plan_of(config)
    assert plan.typed.suite_of("sts12") == "mine"
    assert plan.typed.suite_of("sick-r") == plan.typed.suite_of("mr") == "classification"
    assert plan.typed.suite_of("paws-x-pool") == "bitext-retrieval"


def test_a_column_may_name_what_its_rows_are_made_with(config):
    rows = rows_of(config, "table14")
    assert scores_of(rows["bert-mirror"]["cells"]["phrase-is"]) == [
        ["results/scores/bert-en/mirror-phrase/names/seed33/isotropy.tsv"]
    ]
    rates = rows_of(config, "table12")["roberta-mirror"]["cells"]
    base = "results/scores/roberta-en/mirror-sentence-cls"
    end = "sentences-en/seed33/similarity.tsv"
    assert scores_of(rates["0.05"]) == [[f"{base}-dropout-0.05/{end}"]] * 7
    assert scores_of(rates["0.1"]) == [[f"{base}/{end}"]] * 7


def test_a_change_of_a_recipe_changes_those_that_are_like_it(config):
    for temperature in (0.1, 0.3):
        config["recipes"]["mirror-sentence"]["temperature"] = temperature
        like = plan_of(config).typed.recipes["mirror-sentence-dropout-0.05"]
        assert (like.dropout, like.temperature) == (0.05, temperature)


def test_a_recipe_starts_from_the_encoder_of_another(config):
    config["recipes"]["mirror-sentence"]["start"] = start_of("mirror-word")
    plan = plan_of(config)
    keys = {"model": "bert-en", "corpus": "sentences-en", "seed": "33"}
    before = "results/encoders/bert-en/mirror-word/words-en/seed33"
    wildcards = Wildcards(recipe="mirror-sentence", **keys)
    start = plan.rule_inputs.start(wildcards)
    files = [f"{before}/{name}" for name in ("encoder.json", "model.safetensors")]
    assert plan.rule_inputs.files(start) == files
    assert plan.rule_inputs.location(start) == before
    plain = Wildcards(recipe="mirror-word", **keys)
    assert (
        plan.rule_inputs.location(plan.rule_inputs.start(plain)) == "resources/models/bert-en-mini"
    )
    # what it starts from is needed, though no cell shows it
    shown = {("bert-en", "mirror-sentence"), ("bert-en", "mirror-word")}
    assert shown <= {(one.model, one.recipe) for one in plan.required.encoders}


def test_a_recipe_of_method_none_reads_the_encoder_of_another(config):
    config["seeds"] = [33, 44]
    start = start_of("mirror-word")
    reading = {"method": "none", "pooling": "max", "embed_max_length": 25, "start": start}
    config["recipes"]["reading"] = reading
    rows = {row["id"]: row for row in config["tables"]["table03"]["rows"]}
    rows["bert-cls"]["recipe"] = "reading"
    plan = plan_of(config)
    cell = plan.requests.cells["tables", "table03"]["bert-cls", "stsb"]
    encoders = [one for encoders in cell[0].encoders for one in encoders]
    folders = [f"bert-en/reading/words-en/seed{seed}" for seed in (33, 44)]
    assert list(map(str, encoders)) == folders
    read = "results/encoders/bert-en/mirror-word/words-en/seed33"
    assert plan.rule_inputs.location(encoders[0]) == read
    files = [f"{read}/{name}" for name in ("encoder.json", "model.safetensors")]
    assert plan.rule_inputs.files(encoders[0]) == files
    # tuned once, by the recipe that tunes
    assert not re.fullmatch(plan.rule_inputs.tuning_recipes(), "reading")
    assert encoders[0]._replace(recipe="mirror-word") in plan.required.encoders
    assert plan.typed.corpora_of(encoders[0]) == ["words-en"]


def paper_like(config, project):
    """Make everything of Table 3's BERT rows the paper's."""
    config["recipes"] = yaml.safe_load((project / "config/recipes.yaml").read_text())["recipes"]
    # what the default adds for ablations of the other paper
    config["recipes"]["cmlm-brief"] = {"like": "cmlm"}
    config["data"]["paper"] = "mirror-bert"
    config["models"]["bert-en"]["paper"] = "mirror-bert"
    config["corpora"]["sentences-en"]["paper"] = ["another", "mirror-bert"]
    return config


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (None, None, None),
        ("data/paper", [], "the data are not the paper's"),
        ("models/bert-en/paper", "another", "model bert-en is not the paper's"),
        ("corpora/sentences-en/paper", [], "corpus sentences-en is not the paper's"),
        (
            "recipes/mirror-sentence/temperature",
            0.05,
            "recipe: temperature 0.05, in the paper 0.04",
        ),
        ("datasets/sts12/unlike_paper", "tokenised", "data set sts12: tokenised"),
        (
            "corpora/sentences-en/whitespace",
            "collapsed",
            "corpus sentences-en: whitespace collapsed, in the paper kept",
        ),
        (
            "datasets/sts12/whitespace",
            "collapsed",
            "data set sts12: whitespace collapsed, in the paper kept",
        ),
        ("tables/table03/rows/3/recipe", "mine", "recipe mine is not the paper's"),
    ],
)
def test_a_cell_is_the_paper_s_only_where_model_data_and_recipe_are(
    config, project, path, value, reason
):
    config = paper_like(config, project)
    config["recipes"]["mine"] = {"like": "mirror-sentence"}
    if path:
        set_key(config, path, value)
    cells = rows_of(config, "table03")["bert-mirror"]["cells"]
    assert cells["sts12"]["differences_from_paper"] == ([reason] if reason else [])
    roberta = rows_of(config, "table03")["roberta-mirror"]["cells"]["sts12"][
        "differences_from_paper"
    ]
    assert "model roberta-en is not the paper's" in roberta


def test_an_edit_of_the_paper_s_own_recipes_makes_cells_not_compared(project, tmp_path):
    """The frozen copy in config/reference stays: config/recipes.yaml is no longer the paper's."""
    from workflow_scripts.plan.comparability import frozen
    from workflow_scripts.tuning.recipe import resolve_likes

    recipes = read_layers([project / "config" / "paper.yaml"]).config["recipes"]
    own, of_papers = resolve_likes(recipes), {}
    for paper in ("mirror-bert", "cmlm"):
        kept = frozen(paper)["recipes"]
        assert {name: own[name] for name in kept} == kept
        of_papers |= kept
    assert not [name for name in own if name.startswith("mirror") and name not in of_papers]


def test_what_a_paper_leaves_open_is_told_of_a_cell_that_is_compared(config, project):
    config = paper_like(config, project)
    config["datasets"]["sts12"]["assumed"] = "which pairs is not stated"
    config["corpora"]["sentences-en"]["assumed"] = "drawn anew"
    cells = rows_of(config, "table03")["bert-mirror"]["cells"]
    assert cells["sts12"]["differences_from_paper"] == []
    drawn = "corpus sentences-en: drawn anew"
    assert cells["sts12"]["assumptions"] == ["data set sts12: which pairs is not stated", drawn]
    assert cells["sts13"]["assumptions"] == [drawn]


def test_every_recipe_of_which_a_paper_leaves_something_open_is_frozen():
    from workflow_scripts.plan.comparability import frozen

    for paper in ("mirror-bert", "cmlm"):
        assert frozen(paper)["assumed"].keys() <= frozen(paper)["recipes"].keys()
    assert frozen("cmlm")["assumed"]


def test_a_difference_of_what_a_recipe_starts_from_is_one_of_its_own(config, project):
    config = paper_like(config, project)
    config["data"]["paper"] = config["models"]["bert-multi"]["paper"] = "cmlm"
    for corpus in ("text-en", "text-es", "text-fr", "text-ru", "text-multi", "bitext-multi"):
        config["corpora"][corpus]["paper"] = "cmlm"
    cell = rows_of(config, "cmlm-table05")["cmlm-br"]["cells"]["es"]
    assert cell["differences_from_paper"] == []
    config["recipes"]["cmlm-s3-cmlm"]["steps"] = 10
    cell = rows_of(config, "cmlm-table05")["cmlm-br"]["cells"]["es"]
    assert cell["differences_from_paper"] == ["recipe: steps 10, in the paper 1500000"]


def test_a_row_may_have_a_metric_of_its_own(config):
    rows = rows_of(config, "cmlm-table08")
    metrics = {name: row["cells"]["fr"]["parts"][0]["metric"] for name, row in rows.items()}
    assert metrics["cmlm-br"] == "accuracy" and metrics["cmlm-br-pcr"] == "accuracy_pcr"
    parts = [rows[name]["cells"]["fr"]["parts"] for name in ("cmlm-br", "cmlm-br-pcr")]
    assert parts[0][0]["scores"] == parts[1][0]["scores"]
    set_key(config, "tables/cmlm-table08/rows/1/metric", "accuracy@1")
    with pytest.raises(
        UserError, match=r"rows\.mbert-pcr\.metric` is `accuracy@1`, which is none of"
    ):
        plan_of(config)


def test_rows_that_need_an_absent_corpus_say_why(config):
    config["corpora"]["bitext-multi"] = {"kind": "absent", "reason": "none was released"}
    rows = rows_of(config, "cmlm-table05")
    assert rows["cmlm-br"]["cells"]["es"] == {"not_run": "none was released"}
    # it starts from an encoder that would need it
    assert rows["cmlm-br-nli"]["cells"]["es"] == {"not_run": "none was released"}
    assert "parts" in rows["cmlm"]["cells"]["es"]
    plan = plan_of(config)
    assert "bitext-multi" not in {*plan.rule_inputs.corpora(), *plan.all_required.corpora}
    assert "cmlm-s3" not in {encoder.recipe for encoder in plan.all_required.encoders}


def test_running_times_are_those_of_the_paper_s_own_jobs(config):
    # those of no paper aside
    config["tables"] = {name: one for name, one in config["tables"].items() if "paper" in one}
    config["tables"]["cmlm-times"] = {"kind": "running-time", "title": "T", "paper": "cmlm"}
    config["tables"]["times"] = {"kind": "running-time", "title": "T"}
    outputs = plan_of(config).outputs
    own, cmlm, everything = (
        {group["label"]: group["files"] for group in outputs.resolved("tables", name)["groups"]}
        for name in ("running-time", "cmlm-times", "times")
    )
    assert "method cmlm, running text" in cmlm and "method nli, inference" in cmlm
    assert not [label for label in own if label.split(",")[0] != "method mirror" and "," in label]
    for label, files in everything.items():
        assert set(files) == {*own.get(label, []), *cmlm.get(label, [])}


def test_retrieval_that_is_not_the_paper_s_is_a_difference(config, project):
    config = paper_like(config, project)
    cell = rows_of(config, "table06")["bert-mp"]["cells"]["en-fr"]
    assert "retrieval.lexicon: regularisation 1.0, in the paper 0" in cell["differences_from_paper"]
    config["retrieval"]["linking"]["similarity"] = "cosine"
    cell = rows_of(config, "table02")["bert-mp"]["cells"]["ncbi-disease@1"]
    assert cell["differences_from_paper"] == [
        "retrieval.linking: similarity cosine, in the paper dot"
    ]


def test_embedding_hears_of_a_layer_only_where_there_is_one(config):
    config["recipes"]["middle"] = {"like": "base-mp", "layer": 2}
    config["recipes"]["last"] = {"like": "base-mp", "layer": None}
    given, length = plan_of(config).rule_inputs, config["recipes"]["base-mp"]["embed_max_length"]
    settings = {"pooling": "mean", "max_length": length}
    assert json.loads(given.settings("base-mp")) == settings
    assert given.settings("last") == given.settings("base-mp")
    assert json.loads(given.settings("middle")) == settings | {"layer": 2}


def test_marks_of_the_paper_reach_no_step(config):
    config["corpora"]["sentences-en"] |= {"paper": "mirror-bert", "assumed": "which ones"}
    given = plan_of(config).rule_inputs
    assert not {"paper", "assumed"} & json.loads(given.block("corpora", "sentences-en")).keys()
    assert config["datasets"]["clws-en-fr"]["assumed"]
    assert "assumed" not in given.block("datasets", "clws-en-fr")


def test_every_key_has_a_description(project):
    page = (project / "docs" / "reference" / "config.md").read_text()
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert not [row[0] for row in rows if not row[-1].strip(" |")], "a field lacks a description"
