"""The keys that every config has: other values of each, and what they reach."""

from variations import Change, Section
from wiring_project import small_config

PAGE = "write_table_block block"
INDEX = frozenset({PAGE})
HUB = {"hub": "someone/model", "revision": "0123456789abcdef", "weights_sha256": "0" * 64}
ROW = {"id": "row", "label": "row", "model": "hub", "recipe": "plain"}
HUB_TABLE = {
    **{"title": "Hub", "rows": [ROW]},
    "columns": [{"id": "one", "label": "one", "dataset": "pairs"}],
}
OF_MODELS = {
    **HUB_TABLE,
    "rows": [{**ROW, "model": "tiny"}],
    "columns": [
        *HUB_TABLE["columns"],
        *(
            {"id": key, "label": key, "of_model": key}
            for key in ("parameters", "licence", "vocabulary")
        ),
    ],
}
WITH_HUB = {"models.hub": HUB, "tables.hub": HUB_TABLE}
MIRRORED = {**WITH_HUB, "downloads": {"mirror": "data"}}
SECTION = "of the sections of its own"
TARGETS = ["all_tables", "all_links", "tuning_grid"]
TARGETS += ["results/datasets/registered/items.json"]
TARGETS += ["results/downloads/qqp.json"]


def wired(option: str, *rules: str) -> frozenset[str]:
    return frozenset(f"{rule} {one}" for rule in rules for one in option.split())


READING = ("read_dataset", "read_lexicon")
TUNING = ("tune_encoder", "search_grid")
EMBEDDING = ("embed_suite", "embed_names", "embed_mentions")
# of an encoder that is another one, and of its scores
SEEDED = (
    wired("--seed --output --step-log", "tune_encoder")
    | wired("--model --output --record input", "embed_suite")
    | wired("--vectors --output input", "link_entities")
    | wired("--vectors --classifier --output input", "classify_texts")
    | wired("--vectors --links --predictions --encoder --output --details input", "score_suite")
    | wired("--source-vectors --target-vectors --output input", "induce_lexicon")
    | wired("--ranks --encoder --output --details", "score_lexicon")
    | wired("input", "assemble_table", "assemble_scores")
    | wired("--block", "search_grid", "choose_settings")
    | INDEX
)
DRAWN = {"kind": "cosines", "title": "A title", "caption": "A caption", "dataset": "questions"}
WITH_FIGURE = {"figures.drawn": {**DRAWN, "rows": [{**ROW, "model": "tiny"}]}}
STYLE = {
    f"figure_style.{key}": Change(value, WITH_FIGURE)
    for key, value in {
        **{"column_width": 3.5, "page_width": 7.0, "font": "serif", "font_size": 9.0},
        "intervals": False,
    }.items()
}
LATEX = {"latex.intervals": True, "latex.published": True}
WIRED = {
    "seeds": SEEDED,
    "data.root": wired("--root input", "sample_corpus", *READING)
    | wired("--root", "fetch_dataset")
    | wired("--mentions", "embed_mentions", "merge_links")
    | {"list_names --names", "embed_static --vectors"},
    "data.label": INDEX | wired("--block", "choose_settings"),
    "data.missing": frozenset(),
    "data.fetch": wired("input", "read_dataset")
    | {"fetch_dataset added", "choose_settings --block"}
    | INDEX,
    "downloads.mirror": wired("--mirror", "fetch_dataset", "fetch_model"),
    "downloads.models": wired("--folder", "fetch_model") | wired("--model", "embed_suite"),
    "downloads.offline": wired("--offline", "fetch_dataset"),
    "models.<id>.path": wired("--model input", *TUNING, "embed_suite")
    | wired("--encoder input", "embed_names", "embed_mentions")
    | INDEX,
    "models.<id>.hub": INDEX | wired("--model", "fetch_model", "embed_suite"),
    "models.<id>.revision": INDEX | wired("--model", "fetch_model", "embed_suite"),
    "models.<id>.weights_sha256": wired("--weights-sha256", "fetch_model"),
    "models.<id>.vectors": wired("--vectors", "embed_static"),
    "models.<id>.oov": wired("--oov", "embed_static"),
    "models.<id>.same_as": wired("input", "assemble_table", "assemble_scores")
    | wired("added gone", "embed_suite", "score_suite")
    | INDEX,
    "retrieval.linking.similarity": wired("--similarity", "link_entities")
    | wired("--linking-similarity", "tune_encoder")
    | wired("--block", "search_grid"),
    "retrieval.linking.k": wired("--k", "link_entities"),
    "retrieval.lexicon.mapping": wired("--mapping", "induce_lexicon"),
    "retrieval.lexicon.regularisation": wired("--regularisation", "induce_lexicon"),
    "retrieval.lexicon.similarity": wired("--retrieval", "induce_lexicon"),
    "retrieval.lexicon.neighbours": wired("--neighbours", "induce_lexicon"),
    "retrieval.lexicon.k": wired("--k", "induce_lexicon"),
    "classification.protocol": wired("--protocol", "classify_texts"),
    "device": wired("--device start resources", *TUNING, *EMBEDDING),
    "threads.tuning": wired("--threads threads", *TUNING),
    "threads.embedding": wired("--threads threads", *EMBEDDING, "classify_texts"),
    "threads.retrieval": wired(
        "--threads threads", "link_entities", "induce_lexicon", "link_shard"
    ),
    "processes.tuning": wired("start resources threads", "tune_encoder"),
    **dict.fromkeys(STYLE, wired("block", "write_figure_block")),
    **dict.fromkeys(LATEX, wired("block", "write_table_block")),
}
PRINTED = "how what is measured is printed"
SPEED = "how fast it is: the numbers are the same"
FETCHED = "nothing is fetched here: tests/downloads fetch from a server of their own"
CONFIG = Section(
    base=small_config(),
    wires=INDEX,
    wired=WIRED,
    changes={
        "seeds": Change([33, 55], renamed=("seed", "44", "55")),
        "data.root": "data/../data",
        "data.paper": ["first"],
        "downloads.mirror": Change("data/shorter", MIRRORED),
        "downloads.models": Change("data/fetched", WITH_HUB),
        "models.<id>.path": "models/other",
        "models.<id>.hub": Change("someone/other", WITH_HUB, at="models.hub.hub"),
        "models.<id>.revision": Change("fedcba9876543210", WITH_HUB, at="models.hub.revision"),
        "models.<id>.weights_sha256": Change("1" * 64, WITH_HUB, at="models.hub.weights_sha256"),
        "models.<id>.confirmed": Change(True, WITH_HUB, at="models.hub.confirmed"),
        "models.<id>.vectors": Change("shorter/made/words.vec", at="models.vectors.vectors"),
        "models.<id>.oov": Change("error", at="models.vectors.oov"),
        "models.<id>.same_as": Change("other", at="models.second.same_as"),
        "models.<id>.absent": Change("it was lost", at="models.missing.absent"),
        "models.<id>.paper": ["first"],
        "models.<id>.parameters": Change(
            7, {"tables.of-models": OF_MODELS}, at="models.tiny.parameters"
        ),
        "models.<id>.licence": Change(
            "MIT", {"tables.of-models": OF_MODELS}, at="models.tiny.licence"
        ),
        "models.<id>.vocabulary": Change(
            7, {"tables.of-models": OF_MODELS}, at="models.tiny.vocabulary"
        ),
        "absent_models[].models": ["nowhere", "nor-here"],
        "absent_models[].reason": "nobody knows it",
        "device": "auto",
        "keep_encoders": "none",
        "tolerance.untuned": 0.7,
        "tolerance.tuned": 0.8,
        **STYLE,
        **LATEX,
    },
    same_number={
        "data.label": "a text that is shown",
        **{f"threads.{stage}": SPEED for stage in ("tuning", "embedding", "retrieval")},
        "data.root": "the same folder by another path",
        "papers.<id>.title": "a text that is shown",
        **dict.fromkeys((*STYLE, *LATEX), PRINTED),
    },
    not_run={
        **dict.fromkeys(
            (
                *("downloads", "data.fetch", "models.<id>.hub", "models.<id>.revision"),
                "models.<id>.weights_sha256",
            ),
            FETCHED,
        ),
        "device": "auto takes a GPU where there is one, whose sums are others",
        "processes.tuning": "of several processes: tests/tuning",
    },
    no_command={
        "data.missing": "what is done about files that are absent, and none is here",
        "models.<id>.confirmed": "what check_fetch says, which no table needs",
        "keep_encoders": "which weights stay after a run: tests/workflow",
    },
    not_changed={
        "results": "a test of its own",
        **dict.fromkeys(
            (
                *("recipes", "corpora", "datasets", "tables", "figures", "dictionaries"),
                "tuning_grid",
            ),
            SECTION,
        ),
        "trained_encoders": "encoders are not tuned then: tests/plan/test_trained_encoders.py",
    },
)
ALONE = {"config": (CONFIG, None, TARGETS)}
