"""The blocks that every config has.

Those of packages chosen by name are typed by these packages.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from workflow_scripts.configuration.blocks import (
    Block,
    Distinct,
    Id,
    NotNegative,
    Papers,
    ResultsPath,
    RulePath,
    Seed,
    Sha256,
    Text,
    WholeNumber,
    mistake,
)
from workflow_scripts.configuration.print_style import FigureStyle, LatexStyle
from workflow_scripts.project_files import shipped_file

HubId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?$")]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{7,40}$")]
# accuracy@5 counts five of them
Kept = Annotated[int, Field(ge=5)]


# a file or folder that rules depend on, of the run's folder or shipped with the project
ShippedPath = Annotated[RulePath, AfterValidator(shipped_file)]


class Data(Block):
    """Where the files are that corpora and data sets name by relative path."""

    root: ShippedPath = Field(description="Folder with the layout of resources/sample_data.")
    label: Text | None = Field(None, description="Name of this data in the tables.")
    paper: Papers = Field(
        [], description="Papers whose data sets these files are: an id or a list."
    )
    missing: Literal["error", "skip"] = Field(
        description=(
            "If files of a data set are missing: stop (error), or leave its cells empty (skip)."
        )
    )
    fetch: bool = Field(False, description="true: fetch missing files of config/registry.yaml.")


class Downloads(Block):
    """How `fetch_all`, `data.fetch` and models of the hub bring files."""

    mirror: Text | None = Field(
        None,
        description="Base URL or folder, laid out as a data root, to use instead of the sources.",
    )
    models: RulePath = Field("data/models", description="Folder for models fetched from the hub.")
    offline: bool = Field(
        False, description="true: use only existing files and those of a mirror folder."
    )


_SOURCES = ("path", "hub", "vectors", "same_as", "absent")


class Model(Block):
    """A pretrained model: one of path, hub (with revision), vectors, same_as and absent."""

    path: ShippedPath | None = Field(
        None, description="Folder with config.json, model.safetensors and the tokenizer."
    )
    hub: HubId | None = Field(None, description="Id on the Hugging Face hub.")
    revision: Commit | None = Field(None, description="Commit of the hub repository.")
    weights_sha256: Sha256 | None = Field(
        None,
        description="SHA-256 of a hub model's one weights file, as the hub has it at that commit.",
    )
    confirmed: bool = Field(
        False,
        description=(
            "For hub models: whether public code uses it at this commit; `check_fetch` reports it."
        ),
    )
    vectors: RulePath | None = Field(
        None,
        description="Word vectors (.vec, .txt, also gzipped, or fastText's .bin), below the data "
        "root.",
    )
    oov: Literal["mean", "subwords", "left_out", "error"] = Field(
        "mean",
        description=(
            "For models with `vectors`: what words outside the vocabulary get. With `left_out` "
            "they do not count, after a second try without punctuation at their ends."
        ),
    )
    same_as: Id | None = Field(None, description="Id of the model that this is a second name of.")
    absent: Text | None = Field(
        None, description="Why this config lacks the model; its rows show a dash and this reason."
    )
    label: Text | None = Field(None, description="Name of the model in the tables.")
    paper: Papers = Field(
        [], description="Papers that used exactly this model: their cells are compared."
    )
    parameters: WholeNumber | None = Field(
        None, description="Number of parameters; tables can show it."
    )
    licence: Text | None = Field(None, description="Licence; tables can show it.")
    vocabulary: WholeNumber | None = Field(
        None, description="Vocabulary size of the tokenizer; tables can show it."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        given = [key for key in _SOURCES if getattr(self, key) is not None]
        if len(given) != 1 or (given == ["hub"]) != (self.revision is not None):
            raise mistake(
                "a model needs one of `path`, `hub` with a pinned `revision`, `vectors`, "
                "`same_as` and `absent`"
            )
        if self.weights_sha256 is not None and self.hub is None:
            raise mistake("`weights_sha256` is only for models with `hub`; remove it")
        if self.confirmed and self.hub is None:
            raise mistake("`confirmed` is only for models with `hub`; remove it")
        return self


class AbsentModels(Block):
    """Models that a config has not, with one reason for all of them."""

    models: Distinct[Id] = Field(description="Ids of the models.")
    reason: Text = Field(description="Reason that their rows show.")


class Linking(Block):
    """Entity linking: the nearest dictionary names of a mention."""

    similarity: Literal["dot", "cosine"] = Field(
        description="dot (unnormalised vectors, as SapBERT's evaluation does) or cosine."
    )
    k: Kept = Field(description="Names kept for each mention, 5 or more.")


class Lexicon(Block):
    """Lexicon induction: a map between two languages, and the nearest words of a mapped word."""

    mapping: Literal["orthogonal", "supervised"] = Field(
        description="orthogonal (Procrustes) or supervised (whitening and re-weighting)."
    )
    regularisation: NotNegative = Field(
        description="Regularisation of the supervised whitening; 0 as published."
    )
    similarity: Literal["csls", "cosine"] = Field(description="csls or cosine.")
    neighbours: WholeNumber = Field(description="Neighbourhood size of CSLS.")
    k: Kept = Field(description="Translations kept for each source word, 5 or more.")


class Retrieval(Block):
    """How nearest names (linking) and translations (lexicon) are searched."""

    linking: Linking = Field(description="How nearest names of mentions are searched.")
    lexicon: Lexicon = Field(description="How translations of words are searched.")


class Classification(Block):
    """Classifiers on fixed vectors, as SentEval trains them."""

    protocol: Literal["default", "prototyping", "notebook"] = Field(
        "prototyping",
        description=(
            "SentEval's default, its quick version, or that of CMLM's authors (the slowest)."
        ),
    )


class Threads(Block):
    """Threads of one job, by stage."""

    tuning: WholeNumber = Field(description="Threads of tuning.")
    embedding: WholeNumber = Field(description="Threads of embedding.")
    retrieval: WholeNumber = Field(description="Threads of linking and lexicon induction.")


class Processes(Block):
    """Processes of one job, each with a GPU of its own, or with its threads on a CPU."""

    tuning: WholeNumber = Field(1, description="Processes that tune one model together.")


class Tolerance(Block):
    """Largest difference to a published value that counts as the same, by kind of row."""

    untuned: NotNegative = Field(0.005, description="Of rows that are not tuned.")
    tuned: NotNegative = Field(0.01, description="Of tuned rows.")


class Paper(Block):
    """A paper (or other work) that tables and figures belong to."""

    title: Text = Field(description="Name on pages.")


def _all_none_or_list(value: Any) -> Any:
    if value in ("all", "none") or (isinstance(value, list) and value):
        return value
    raise mistake("use all, none or a list of recipes")


# of recipes
Choice = Annotated[Literal["all", "none"] | list[Id], BeforeValidator(_all_none_or_list)]


class TrainedEncoder(Block):
    """The folder of an encoder that was trained before, and the rows that it stands for."""

    model: Id = Field(description="Model of these rows, from which the encoder was trained.")
    recipe: Id = Field(description="Their recipe.")
    corpus: Id = Field(description="Their corpus.")
    path: ShippedPath = Field(description="Folder of the encoder, as `mirror-bert tune` writes it.")


class Config(Block):
    """A merged config.

    Blocks that are chosen by name are typed by their packages (`plan.typed`).
    """

    results: ResultsPath = Field("results", description="Folder for everything that a run makes.")
    seeds: Distinct[Seed] = Field(description="Seeds of tuning; tuned rows are means over them.")
    data: Data = Field(description="Where the data are.")
    downloads: Downloads = Field(Downloads(), description="How files are fetched.")
    models: dict[Id, Model] = Field(description="Pretrained models by id.")
    absent_models: list[AbsentModels] = Field(
        [], description="Models that this config lacks: `{models: [...], reason: ...}` each."
    )
    recipes: dict[Id, dict[str, Any]] = Field(description="Named sets of tuning choices.")
    trained_encoders: list[TrainedEncoder] = Field(
        [], description="Encoders of rows that were trained earlier and are not trained here."
    )
    corpora: dict[Id, dict[str, Any]] = Field({}, description="Texts to tune on, by id.")
    datasets: dict[Id, dict[str, Any]] = Field({}, description="Evaluation sets by id.")
    retrieval: Retrieval = Field(description="How nearest names and translations are searched.")
    classification: Classification = Field(
        Classification(), description="How classifiers are trained on vectors."
    )
    device: Literal["cpu", "cuda", "auto"] = Field(
        description="Where tuning and embedding run; auto: cuda if there is a GPU."
    )
    keep_encoders: Choice = Field(
        "all",
        description="Encoders whose weights are kept after a run: all, none or a list of recipes.",
    )
    threads: Threads = Field(description="Threads of one job, by stage.")
    processes: Processes = Field(Processes(), description="Processes of one job.")
    tolerance: Tolerance = Field(
        Tolerance(),
        description="Largest differences from published values that count as agreement.",
    )
    figure_style: FigureStyle = Field(
        FigureStyle(), description="How figures look: widths, fonts, error bars."
    )
    latex: LatexStyle = Field(
        LatexStyle(), description="What LaTeX tables show besides our own scores."
    )
    papers: dict[Id, Paper] = Field({}, description="Papers that tables and figures belong to.")
    tables: dict[Id, dict[str, Any]] = Field({}, description="Tables that all_tables builds.")
    figures: dict[Id, dict[str, Any]] = Field({}, description="Figures that all_tables draws.")
    dictionaries: dict[Id, dict[str, Any]] = Field(
        {},
        description="Names that `snakemake all_links` links mentions to; see "
        "docs/howto/run-on-a-cluster.md.",
    )
    tuning_grid: dict[str, Any] | None = Field(
        None, description="Searches for tuning hyper-parameters; see docs/howto/choose-settings.md."
    )
