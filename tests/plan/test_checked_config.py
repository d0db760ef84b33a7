"""A whole config: its mistakes, its pages, and the recipes of the papers."""

import copy

import pytest
import yaml
from plans import plan_of, rows_of, set_key

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.errors import UserError
from workflow_scripts.plan.comparability import frozen
from workflow_scripts.plan.plan import Plan
from workflow_scripts.plan.typed import read_typed
from workflow_scripts.tuning.recipe import resolve_likes


@pytest.fixture
def config(default_config, project, monkeypatch):
    monkeypatch.chdir(project)
    # the blocks of models and seeds are changed below as no user's config does it
    return copy.deepcopy(default_config) | {"trained_encoders": []}


def test_the_pages_of_a_paper_are_its_tables_and_figures_in_order(config):
    outputs, papers = plan_of(config).outputs, {}
    for section, blocks, end in (
        ("tables", outputs.tables, "html"),
        ("figures", outputs.figures, "png"),
    ):
        for name, block in blocks.items():
            papers.setdefault(block.paper, []).append(f"results/{section}/{name}.{end}")
    assert outputs.papers() == {name: papers[name] for name in ("mirror-bert", "cmlm")}
    assert {
        f"results/tables/table{number:02d}.html" for number in (*range(1, 11), *range(12, 22))
    } <= {*papers["mirror-bert"]}
    assert {f"results/tables/cmlm-table{number:02d}.html" for number in range(1, 12)} <= {
        *papers["cmlm"]
    }


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
        ("tables/table02/rows/2/corpus", None, "corpus` is missing: recipe `.*` tunes on one; add"),
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


@pytest.mark.parametrize(
    ("text", "key"),
    [("modles: {}", "modles"), ("recipes: {mirror-word: {epoch: 1}}", "recipes.mirror-word.epoch")],
)
def test_a_mistake_is_of_the_user_s_own_file(text, key, tmp_path):
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(UserError, match=rf"own\.yaml: unknown key `{key}`; did you mean"):
        read_typed(read_layers([tmp_path / "own.yaml"]))


def test_a_block_alone_lies_over_the_default(tmp_path):
    """As docs/howto/extend-the-tables.md has it: a table alone."""
    column = {"id": "en", "label": "EN", "dataset": "multisimlex-en"}
    row = {"id": "r", "label": "R", "model": "bert-en", "recipe": "base-mp"}
    table = {"title": "T", "columns": [column], "rows": [row]}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"tables": {"mine": table}}))
    plan = Plan(read_layers([tmp_path / "own.yaml"]))
    assert {"mine", "table01"} <= set(plan.typed.tables)
    (cell,) = plan.outputs.resolved("tables", "mine")["rows"][0]["cells"].values()
    (part,) = cell["parts"]
    assert part["scores"] == ["results/scores/bert-en/base-mp/none/seed0/similarity.tsv"]


SUITES = {
    "suites": {"suites": {"mine": {"datasets": ["stsb"]}}},
    "tables.table03.suite": {"tables": {"table03": {"suite": "mine"}}},
    "tables.table03.rows.r.suite": {
        "tables": {"table03": {"rows+": [{"id": "r", "suite": "base"}]}}
    },
    "figures.figure04.suite": {"figures": {"figure04": {"suite": "qnli"}}},
    "figures.figure05.series.s.suite": {
        "figures": {"figure05": {"series": [{"id": "s", "suite": "sts12"}]}}
    },
    "recipes.mirror-word.development.suite": {
        "recipes": {"mirror-word": {"development": {"suite": "words-dev"}}}
    },
    "tuning_grid.searches.few-words.suite": {
        "tuning_grid": {"searches": {"few-words": {"suite": "x"}}}
    },
}


@pytest.mark.parametrize("key", SUITES)
def test_a_config_of_before_gets_one_line_that_names_file_and_key(key, tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(SUITES[key]))
    with pytest.raises(UserError) as caught:
        read_typed(read_layers([file]))
    assert str(caught.value) == (
        f"{file}: `{key}` is a key of earlier versions: tables now name only data sets; remove it "
        "(a data set may set `suite`; docs/reference/config.md)"
    )


def test_a_data_set_may_have_a_suite_and_a_placeholder_that_name(config):
    config["datasets"]["sts12"]["suite"] = "mine"
    config["tables"]["table03"]["columns"][0]["with"] = {"suite": "any"}
    typed = plan_of(config).typed
    expected = {"sts12": "mine", "mr": "classification", "paws-x-pool": "bitext-retrieval"}
    assert {name: typed.suite_of(name) for name in expected} == expected


def test_the_shipped_recipes_are_those_of_the_papers(project):
    """As the copies in config/reference say: an edit of one makes its cells not compared."""
    recipes = read_layers([project / "config" / "paper.yaml"]).config["recipes"]
    own, of_papers = resolve_likes(recipes), {}
    for paper in ("mirror-bert", "cmlm"):
        of_papers |= frozen(paper)["recipes"]
        assert frozen(paper)["assumed"].keys() <= frozen(paper)["recipes"].keys()
    assert {name: own[name] for name in of_papers} == of_papers
    assert not [name for name in own if name.startswith("mirror") and name not in of_papers]


def test_retrieval_that_is_not_the_paper_s_is_a_difference(config):
    config["retrieval"]["linking"]["similarity"] = "cosine"
    cells = rows_of(config, "table02")["bert-mp"]["cells"]
    told = "retrieval.linking: similarity cosine, in the paper dot"
    assert told in cells["ncbi-disease@1"]["differences_from_paper"]
    # the default itself
    cells = rows_of(config, "table06")["bert-mp"]["cells"]
    told = "retrieval.lexicon: regularisation 1.0, in the paper 0"
    assert told in cells["en-fr"]["differences_from_paper"]


def test_rows_that_need_an_absent_corpus_say_why(config):
    config["corpora"]["bitext-multi"] = {"kind": "absent", "reason": "none was released"}
    rows = rows_of(config, "cmlm-table05")
    # the second starts from an encoder that would need it
    for row in ("cmlm-br", "cmlm-br-nli"):
        assert rows[row]["cells"]["es"] == {"not_run": "none was released"}
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


def test_every_key_has_a_description(project):
    page = (project / "docs" / "reference" / "config.md").read_text()
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert not [row[0] for row in rows if not row[-1].strip(" |")], "a field lacks a description"
