"""Cells of a small config, worked out by hand: which scores they read, or why they do not run."""

from types import SimpleNamespace

import pytest
from plans import plan_of, rows_of

from workflow_scripts.errors import UserError
from workflow_scripts.plan import comparability
from workflow_scripts.plan.cell_requests import DatasetRequest, embedding_jobs
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.requirements import shown_searches
from workflow_scripts.tuning.methods import mirror


@pytest.fixture
def config(small_config):
    return small_config


def table(columns, rows, **more):
    return {
        **{"title": "T", "paper": "own", **more},
        "columns": [{"label": one["id"].upper(), **one} for one in columns],
        "rows": [{"label": one["id"].upper(), **one} for one in rows],
    }


def cells_of(config, name="t"):
    return cells_of_block(plan_of(config), name)


def cells_of_block(plan, name="t"):
    rows = plan.outputs.resolved("tables", name)["rows"]
    return {(row["id"], key): one for row in rows for key, one in row.get("cells", {}).items()}


def embeddings_of(config):
    return embedding_jobs(plan_of(config).cells.run)


def part(dataset, *scores, metric="spearman"):
    files = [f"results/scores/{one}.tsv" for one in scores]
    return {"dataset": dataset, "metric": metric, "scores": files}


def test_a_cell_reads_a_score_of_each_data_set_and_seed(config):
    columns = [
        {"id": "both", "datasets": ["sts12", "sickr"]},
        {"id": "one", "dataset": "sickr", "tolerance": 0.02},
    ]
    rows = [
        {"id": "mp", "model": "bert-en", "recipe": "base-mp"},
        {"id": "own", "model": "bert-en", "recipe": "mirror-sentence", "corpus": "sentences-en"},
    ]
    config["tables"]["t"] = table(columns, rows, seeds=[1, 2])
    untuned = ["bert-en/base-mp/none/seed0/similarity"]
    tuned = [f"bert-en/mirror-sentence/sentences-en/seed{seed}/similarity" for seed in (1, 2)]
    stands = {"differences_from_paper": [], "assumptions": []}
    assert cells_of(config) == {
        ("mp", "both"): {
            **{"parts": [part("sts12", *untuned), part("sickr", *untuned)], **stands},
            "tolerance": 0.005,
        },
        ("mp", "one"): {"parts": [part("sickr", *untuned)], **stands, "tolerance": 0.02},
        ("own", "both"): {
            **{"parts": [part("sts12", *tuned), part("sickr", *tuned)], **stands},
            "tolerance": 0.01,
        },
        ("own", "one"): {"parts": [part("sickr", *tuned)], **stands, "tolerance": 0.02},
    }
    # without seeds of its own those of the config
    config["tables"]["t"].pop("seeds")
    (file,) = cells_of(config)["own", "one"]["parts"][0]["scores"]
    assert file == "results/scores/bert-en/mirror-sentence/sentences-en/seed33/similarity.tsv"


def test_a_column_of_models_changes_the_block_of_its_table_and_no_job(config):
    rows = [
        {"id": "mp", "model": "bert-en", "recipe": "base-mp"},
        {"id": "old", "not_run": "no vectors"},
    ]
    config["models"]["bert-en"] |= {"parameters": 4_415_000, "licence": "MIT"}
    config["tables"]["t"] = table([{"id": "one", "dataset": "sickr"}], rows)
    before, cells = plan_of(config), cells_of(config)
    said = [{"id": key, "of_model": key} for key in ("parameters", "licence", "address")]
    config["tables"]["t"] = table([*said, {"id": "one", "dataset": "sickr"}], rows)
    after = plan_of(config)
    assert cells_of_block(after) == cells
    texts = [row["texts"] for row in after.outputs.resolved("tables", "t")["rows"]]
    folder = config["models"]["bert-en"]["path"].rpartition("/")[2]
    assert texts[0] == {"parameters": "4.42M", "licence": "MIT", "address": folder}
    assert {*texts[1].values()} == {"–"}
    for part_of in (
        lambda plan: (
            embedding_jobs(plan.cells.run),
            plan.required.encoders,
            plan.cells.all_scores(),
        ),
        lambda plan: plan.outputs.files("tables", "t"),
        lambda plan: plan.outputs.block("tables", "index"),
        lambda plan: {
            name: plan.outputs.block("tables", name) for name in {*config["tables"]} - {"t"}
        },
    ):
        assert part_of(after) == part_of(before)


def test_languages_and_words_in_braces_are_filled_in(config):
    columns = [
        {"id": "en", "dataset": "multisimlex-en", "with": {"kind": "word"}},
        {"id": "fr", "dataset": "multisimlex-fr", "with": {"kind": "word"}},
        {"id": "both", "dataset": "bli-en-fr", "with": {"kind": "word"}},
    ]
    tuned = {"recipe": "mirror-{kind}", "corpus": "words-{language}"}
    models = {"en": "bert-en", "fr": "bert-multi"}
    # another name of a model is the model: nothing is tuned twice
    config["models"]["second"] = {"same_as": "bert-en"}
    rows = [
        {"id": "all", "model": models, **tuned},
        {"id": "english", "model": {"en": "second"}, **tuned},
        {"id": "one", "model": "bert-multi", "recipe": "base-mp"},
    ]
    config["tables"]["t"] = table(columns, rows)
    cells = cells_of(config)

    def scores(row, column):
        return [one for each in cells[row, column]["parts"] for one in each["scores"]]

    folder, ending = "results/scores", "seed33"
    english = f"{folder}/bert-en/mirror-word/words-en/{ending}/similarity.tsv"
    assert scores("all", "en") == scores("english", "en") == [english]
    french = f"{folder}/bert-multi/mirror-word/words-fr/{ending}/similarity.tsv"
    assert scores("all", "fr") == [french]
    # both sides of a lexicon, the source first
    both = f"{folder}/bert-en--bert-multi/mirror-word/words-en--words-fr/{ending}/bli-en-fr.tsv"
    assert scores("all", "both") == [both]
    both = f"{folder}/bert-multi--bert-multi/base-mp/none--none/seed0/bli-en-fr.tsv"
    assert scores("one", "both") == [both]
    lacking = {"not_run": "no model for this language in this config"}
    assert cells["english", "fr"] == cells["english", "both"] == lacking
    # a word in braces that has no value
    config["tables"]["t"]["columns"][0].pop("with")
    with pytest.raises(UserError, match=r"rows\.all`: no value for \{kind\} in `mirror-\{kind\}`"):
        cells_of(config)


def test_a_recipe_that_only_reads_an_encoder_has_its_corpus_and_seeds(config):
    start = {"recipe": "mirror-word", "corpus": "words-en"}
    read = {"method": "none", "pooling": "max", "embed_max_length": 25, "start": start}
    config |= {"seeds": [33, 44], "recipes": {**config["recipes"], "read": read}}
    row = {"id": "a", "model": "bert-en", "recipe": "read"}
    config["tables"]["t"] = table([{"id": "c", "dataset": "sts12"}], [row])
    plan = plan_of(config)
    (request,) = plan.cells.requests.cells["tables", "t"]["a", "c"]
    encoders = [Encoder("bert-en", "read", "words-en", seed) for seed in (33, 44)]
    assert request.encoders == tuple((encoder,) for encoder in encoders)
    # tuned by the recipe that tunes
    tuned = {encoder._replace(recipe="mirror-word") for encoder in encoders}
    assert plan.required.encoders == {*encoders, *tuned}
    assert plan.required.corpora == {"words-en"}


def test_the_metric_is_the_row_s_or_the_column_s_or_the_first_of_the_task(config):
    columns = [
        {"id": "first", "dataset": "tatoeba-es"},
        {"id": "own", "dataset": "tatoeba-es", "metric": "accuracy_pcr"},
    ]
    row = {"model": "bert-multi", "recipe": "base-mp"}
    rows = [{"id": "a", **row}, {"id": "b", **row, "metric": "accuracy_from_english"}]
    config["tables"]["t"] = table(columns, rows)
    metrics = {ids: cell["parts"][0]["metric"] for ids, cell in cells_of(config).items()}
    assert metrics == {
        **{("a", "first"): "accuracy", ("a", "own"): "accuracy_pcr"},
        **dict.fromkeys([("b", "first"), ("b", "own")], "accuracy_from_english"),
    }
    config["tables"]["t"]["rows"][1]["metric"] = "spearman"
    with pytest.raises(
        UserError, match=r"rows\.b\.metric` is `spearman`, which is none of task bit"
    ):
        cells_of(config)


def test_scores_are_by_suite_and_no_language_fills_a_recipe(config):
    config["datasets"]["sickr"]["suite"] = "other"
    row = {"id": "a", "model": "bert-en", "recipe": "base-mp"}
    columns = [{"id": name, "dataset": name} for name in ("sts12", "sickr", "mr")]
    config["tables"]["t"] = table(columns, [row])
    files = {name: cell["parts"][0]["scores"] for (_, name), cell in cells_of(config).items()}
    folder, suites = "results/scores/bert-en/base-mp/none/seed0", ("similarity", "other")
    assert files == {
        name: [f"{folder}/{suite}.tsv"]
        for name, suite in zip(files, (*suites, "classification"), strict=True)
    }
    config["tables"]["t"]["rows"][0]["recipe"] = "base-{language}"
    with pytest.raises(UserError, match=r"no value for \{language\} in `base-\{language\}`"):
        cells_of(config)


def test_a_job_embeds_what_cells_show_of_its_encoder_and_suite(config):
    models = {"en": "bert-en", "fr": "bert-multi"}
    bert = {"id": "bert", "model": "bert-en", "recipe": "base-mp"}
    tuned = {"id": "tuned", "model": models, "recipe": "mirror-word", "corpus": "words-{language}"}
    words = [{"id": n, "dataset": n} for n in ("multisimlex-en", "multisimlex-fr", "bli-en-fr")]
    config["tables"]["words"] = table(words, [tuned])
    config["tables"]["bert"] = table([{"id": "m", "datasets": ["sts12", "mr"]}, words[2]], [bert])
    # in two tables, by two metrics, is once
    config["tables"]["again"] = table([{"id": "s", "dataset": "sts12"}], [bert])
    english, french = (
        Encoder(models[one], "mirror-word", f"words-{one}", 33) for one in ("en", "fr")
    )
    untuned = Encoder("bert-en", "base-mp", "none", 0)
    expected = {
        (english, "similarity"): ["multisimlex-en"],
        (french, "similarity"): ["multisimlex-fr"],
        (english, "lexicon"): ["bli-en-fr/source"],
        (french, "lexicon"): ["bli-en-fr/target"],
        (untuned, "lexicon"): ["bli-en-fr/source", "bli-en-fr/target"],
        (untuned, "similarity"): ["sts12"],
        (untuned, "classification"): ["mr"],
    }
    assert embeddings_of(config) == expected
    # one more data set is for its own encoders alone
    config["tables"]["bert"]["columns"].append({"id": "k", "label": "K", "dataset": "sickr"})
    more = {(untuned, "similarity"): ["sickr", "sts12"]}
    assert embeddings_of(config) == expected | more
    config["datasets"]["mr"]["suite"] = "similarity"
    expected |= {(untuned, "similarity"): ["mr", "sickr", "sts12"]}
    del expected[untuned, "classification"]
    assert embeddings_of(config) == expected


def test_what_is_absent_is_not_embedded(config):
    config["datasets"]["mr"]["absent"] = "not released"
    row = {"id": "a", "model": {"en": "bert-en"}, "recipe": "base-mp"}
    columns = [{"id": name, "dataset": name} for name in ("mr", "multisimlex-fr", "sts12")]
    config["tables"]["t"] = table(columns, [row])
    plan = plan_of(config)
    untuned = Encoder("bert-en", "base-mp", "none", 0)
    assert embeddings_of(config) == {(untuned, "similarity"): ["sts12"]}
    assert plan.all_required.datasets == {"sts12"}


def test_curves_points_and_panels_are_known_by_id_and_corpus(config):
    series = {"id": "word", "label": "W", "model": "bert-en", "recipe": "mirror-word"}
    series["dataset"] = "multisimlex-en"
    words = ["words-en", "words-fr"]
    config["figures"]["f"] = {
        **{"kind": "lines", "title": "F", "caption": "C.", "x_label": "x", "y_label": "y"},
        **{"paper": "own", "series": [series | {"corpora": words}]},
    }
    cells = plan_of(config).cells.requests.cells["figures", "f"]
    assert [*cells] == [("word", corpus) for corpus in words]
    for (_, corpus), (request,) in cells.items():
        assert [str(one) for (one,) in request.encoders] == [f"bert-en/mirror-word/{corpus}/seed33"]
        assert (request.metric, request.dataset_request.where) == ("spearman", "figures.f.word")


def test_a_panel_of_languages_asks_for_the_share_of_its_neighbours(config, default_config):
    config["datasets"]["paws-x-pool"] = default_config["datasets"]["paws-x-pool"]
    row = {"id": "a", "label": "A", "model": "bert-multi", "recipe": "base-mp"}
    config["figures"]["f"] = {
        **{"kind": "retrieved-languages", "title": "F", "caption": "C.", "paper": "own"},
        **{"dataset": "paws-x-pool", "neighbours": 100, "rows": [row]},
    }
    cells = plan_of(config).cells.requests.cells["figures", "f"].values()
    metrics = {request.metric for (request,) in cells}
    assert metrics == {"own_language@100", "own_language_pcr@100"}


def test_models_of_the_hub_are_listed_by_address_and_record(config, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    revision = "0123456789abcdef0123456789abcdef01234567"
    config["models"]["hub"] = {"hub": "org/name", "revision": revision}
    row = {"model": "hub", "recipe": "base-mp"}
    rows = [{"id": "a", **row}, {"id": "b", **row, "model": "bert-en"}]
    config["tables"]["t"] = table([{"id": "c", "dataset": "sts12"}], rows)
    needs = plan_of(config).required
    assert needs.hub_addresses() == [f"org/name@{revision}"]
    assert needs.hub_records() == ["results/downloads/models/hub.json"]


def test_files_that_are_missing_and_skipped_are_the_reason(config, sample_data, tmp_path):
    root = tmp_path / "root"
    sts12 = config["datasets"]["sts12"]["path"]
    (root / sts12).parent.mkdir(parents=True)
    (root / sts12).symlink_to(sample_data / sts12)
    config["data"] |= {"root": str(root), "missing": "skip"}
    columns = [
        {"id": "both", "datasets": ["sts12", "sickr"]},
        {"id": "sts12", "dataset": "sts12"},
        {"id": "sickr", "dataset": "sickr"},
    ]
    rows = [
        {"id": "mp", "model": "bert-en", "recipe": "base-mp"},
        {"id": "own", "model": "bert-en", "recipe": "mirror-sentence", "corpus": "sentences-en"},
    ]
    config["tables"]["t"] = table(columns, rows)
    rows = rows_of(config, "t")
    cells = cells_of(config)
    left_out = cells["mp", "both"]
    assert [one["dataset"] for one in left_out["parts"]] == ["sts12"]
    assert left_out["differences_from_paper"] == ["the mean leaves out sickr"]
    assert cells["mp", "sts12"]["differences_from_paper"] == []
    (sick,) = {file.name for file in plan_of(config).cells.availability.dataset_files("sickr")}
    lacking = f"data set sickr: {sick} is not in the data root"
    assert cells["mp", "sickr"] == cells["own", "sickr"] == {"not_run": lacking}
    lacking = {"not_run": "corpus sentences-en: sts-train.csv is not in the data root"}
    assert cells["own", "sts12"] == cells["own", "both"] == lacking
    plan = plan_of(config)
    assert plan.required.datasets == {"sts12"} and plan.all_required.datasets == {"sts12", "sickr"}
    assert plan.required.corpora == set() and plan.all_required.corpora == {"sentences-en"}
    # a set that is made of a corpus
    made = {"task": "isotropy", "format": "corpus", "language": "en", "corpus": "sentences-en"}
    config["datasets"]["made"] = made
    config["tables"]["t"]["columns"].append({"id": "made", "label": "Made", "dataset": "made"})
    lacking = {"not_run": "data set made: sts-train.csv is not in the data root"}
    assert cells_of(config)["mp", "made"] == lacking
    config["tables"]["t"]["columns"].pop()
    config["models"]["words"] = {"vectors": "vectors/en.vec"}
    config["tables"]["t"]["rows"][0]["model"] = "words"
    lacking = {"not_run": "model words: en.vec is not in the data root"}
    assert cells_of(config)["mp", "sts12"] == lacking
    config["data"]["missing"] = "error"
    with pytest.raises(UserError, match="no such file, needed by data set `sickr`"):
        cells_of(config)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"recipe": "base-mp"}, "needed by data set `sickr`; ask; `data.missing: skip` leaves out"),
        (
            {"recipe": "base-mp", "model": "words"},
            "en.vec: no such file, needed by model `words`; put it there or change `models.words.v",
        ),
        # joined of one that has no files
        (
            {"recipe": "mirror-word", "corpus": "both"},
            "sts-train.csv: no such file, needed by corpus `sentences-en`; ",
        ),
    ],
)
def test_a_missing_file_is_named_with_the_remedy(config, sample_data, tmp_path, row, message):
    sts12 = tmp_path / config["datasets"]["sts12"]["path"]
    sts12.parent.mkdir(parents=True)
    sts12.symlink_to(sample_data / config["datasets"]["sts12"]["path"])
    config["data"]["root"] = str(tmp_path)
    config["models"]["words"] = {"vectors": "vectors/en.vec"}
    config["corpora"]["both"] = {"kind": "joined", "of": ["sentences-en", "words-en"]}
    config["datasets"]["sickr"]["obtain"] = "ask"
    dataset = "sickr" if "sickr" in message else "sts12"
    row = {"id": "a", "model": "bert-en", **row}
    config["tables"]["t"] = table([{"id": "c", "dataset": dataset}], [row])
    with pytest.raises(UserError) as caught:
        plan_of(config)
    assert message in str(caught.value)


PUBLISHED = {
    "recipes": {
        "base-mp": {"method": "none", "pooling": "mean", "embed_max_length": 64},
        "mirror-word": {"method": "mirror"},
    },
    "assumed": {"base-mp": "which layer"},
    "retrieval": {
        "similarity": {},
        "lexicon": {"lexicon": {"similarity": "csls", "neighbours": 7}},
        "classification": {},
    },
    "classification": {"protocol": "default"},
}


@pytest.fixture
def comparability_of(config, monkeypatch):
    """Whether a cell of the paper `p` is compared: its data set, model, recipe and corpus."""
    monkeypatch.setattr(comparability, "frozen", lambda paper: PUBLISHED)

    def compared(dataset, recipe="base-mp", corpus=None, model="bert-en"):
        plan = plan_of(config)
        dataset_request = DatasetRequest("tables.t.rows.r", model, recipe, corpus, dataset)
        request = plan.cells.requests._cell_request(dataset_request)
        return comparability.comparability(plan.typed, "p", request)

    return compared


def test_a_cell_of_the_paper_s_own_is_compared_under_its_assumptions(config, comparability_of):
    config["data"]["paper"] = ["p"]
    config["models"]["bert-en"]["paper"] = ["p"]
    config["recipes"]["base-mp"] = PUBLISHED["recipes"]["base-mp"]
    assert comparability_of("sts12") == ([], ["recipe base-mp: which layer"])
    # as without them
    config["recipes"]["base-mp"] = {**config["recipes"]["base-mp"], "prompts": {}, "layer": None}
    assert comparability_of("sts12").differences_from_paper == []
    config["datasets"]["sts12"] |= {"assumed": "which split"}
    assert comparability_of("sts12") == (
        [],
        ["data set sts12: which split", "recipe base-mp: which layer"],
    )


def test_each_difference_from_the_paper_is_told(config, comparability_of):
    base = [
        "the data are not the paper's",
        "recipe: embed_max_length 32, in the paper 64",
        "model bert-en is not the paper's",
    ]
    config["recipes"]["base-mp"]["embed_max_length"] = 32
    assert comparability_of("sts12").differences_from_paper == base

    config["data"]["paper"] = ["q", "p"]
    config["models"]["bert-en"]["paper"] = ["p"]
    config["recipes"]["base-mp"]["embed_max_length"] = 64
    config["datasets"]["sts12"] |= {"unlike_paper": "it is shorter", "whitespace": "collapsed"}
    assert comparability_of("sts12").differences_from_paper == [
        "data set sts12: it is shorter",
        "data set sts12: whitespace collapsed, in the paper kept",
    ]

    # settings of retrieval and of classification count for their tasks
    config["retrieval"]["lexicon"]["similarity"] = "cosine"
    lexicon = [
        "retrieval.lexicon: similarity cosine, in the paper csls",
        "retrieval.lexicon: neighbours 10, in the paper 7",
    ]
    assert comparability_of("bli-en-fr").differences_from_paper == lexicon
    protocol = ["classification: protocol prototyping, in the paper default"]
    assert comparability_of("mr").differences_from_paper == protocol


def test_corpora_and_recipes_of_a_tuned_encoder_count(config, comparability_of):
    config["data"]["paper"] = config["models"]["bert-en"]["paper"] = ["p"]
    config["corpora"]["words-en"] |= {"assumed": "which words", "whitespace": "collapsed"}
    config["recipes"]["mirror-sentence"]["start"] = {"recipe": "mirror-word", "corpus": "words-en"}
    config["corpora"]["sentences-en"]["paper"] = ["p"]
    found = comparability_of("sts12", "mirror-sentence", "sentences-en")
    # the first stage differs in each of its keys but those that have their default
    word = config["recipes"]["mirror-word"]
    defaults = {key: field.default for key, field in mirror.Choices.model_fields.items()}
    changed = [key for key, value in word.items() if key != "method" and value != defaults[key]]
    keys = [one for one in found.differences_from_paper if one.startswith("recipe: ")]
    assert [one.split()[1] for one in keys] == changed
    assert [one for one in found.differences_from_paper if one not in keys] == [
        "recipe mirror-sentence is not the paper's",
        "corpus words-en is not the paper's",
        "corpus words-en: whitespace collapsed, in the paper kept",
    ]
    assert found.assumptions == ["corpus words-en: which words"]


def test_the_searches_of_a_grid_are_those_that_tables_show():
    def shown(kind="grid", **grid):
        tables = {"t": SimpleNamespace(kind=kind), "u": SimpleNamespace(kind="scores")}
        grid = SimpleNamespace(**{"searches": {"a": 1, "b": 2}, "shown": None, **grid})
        return shown_searches(SimpleNamespace(grid=grid, tables=tables))

    assert shown() == ["a", "b"]
    assert shown(shown=["b"]) == ["b"]
    assert shown("models") == []
    assert shown_searches(SimpleNamespace(grid=None, tables={})) == []
    with pytest.raises(UserError, match=r"`tuning_grid\.shown` has `c`, which is not in"):
        shown(shown=["a", "c"])


def test_a_model_or_corpus_of_a_language_that_is_missing_is_to_be_added_not_replaced(config):
    """The nearest name would be that of another language."""
    config["datasets"]["own"] = {**config["datasets"]["multisimlex-en"], "language": "fi"}
    columns = [{"id": "fi", "dataset": "own"}]
    untuned = {"id": "row", "model": "bert-{language}", "recipe": "base-mp"}
    config["tables"]["t"] = table(columns, [untuned])
    with pytest.raises(
        UserError, match=r"`bert-fi`, .*; data set `own` makes it of `bert-\{lan"
    ) as e:
        cells_of(config)
    assert str(e.value).endswith("add it to `models`, or to `absent_models` with the reason")
    tuned = {"recipe": "mirror-word", "corpus": "words-{language}"}
    config["tables"]["t"] = table(columns, [{"id": "row", "model": "bert-multi", **tuned}])
    with pytest.raises(
        UserError, match=r"`words-fi`, .*of `words-\{language\}`: add it to `corpora`"
    ):
        cells_of(config)


def test_running_times_are_of_the_jobs_of_each_group(config):
    config["corpora"]["both"] = {"kind": "joined", "of": ["sentences-en", "words-en"]}
    config["models"]["vectors"] = {"vectors": "static-vectors/en.vec"}
    rows = [
        {"id": "static", "model": "vectors", "recipe": "base-mp"},
        {"id": "tuned", "model": "bert-en", "recipe": "mirror-word", "corpus": "both"},
    ]
    columns = [{"id": name, "dataset": name} for name in ("sts12", "bli-en-fr")]
    config["tables"]["t"] = table(columns, rows)
    config["tables"]["times"] = {"kind": "running-time", "title": "T"}
    groups = plan_of(config).outputs.resolved("tables", "times")["groups"]
    static, tuned = "vectors/base-mp/none/seed0", "bert-en/mirror-word/both/seed33"
    jobs = {
        # a joined corpus holds what the first of its own holds
        "method mirror, sentences": [f"tune_encoder/{tuned}"],
        "embedding": [
            *(f"embed_static/{static}/{suite}" for suite in ("lexicon", "similarity")),
            *(f"embed_suite/{tuned}/{suite}" for suite in ("lexicon", "similarity")),
        ],
        "scoring": [
            "score_lexicon/bert-en--bert-en/mirror-word/both--both/seed33/bli-en-fr",
            "score_lexicon/vectors--vectors/base-mp/none--none/seed0/bli-en-fr",
            f"score_suite/{tuned}/similarity",
            f"score_suite/{static}/similarity",
        ],
    }
    assert {group["label"]: group["files"] for group in groups if group["files"]} == {
        label: [f"results/benchmarks/{job}.tsv" for job in jobs[label]] for label in jobs
    }
