"""Mirror tuning with the trainer of sentence-transformers: loss, data collator, evaluators.

    from mirror_bert.sentence_transformers import MirrorCollator, MirrorLoss, SimilarityEvaluator

    model = mirror_bert.load("bert-base-uncased", pooling="mean").to_sentence_transformers()
    trainer = SentenceTransformerTrainer(
        model=model,
        train_dataset=Dataset.from_dict({"string": strings}),
        loss=MirrorLoss(model, temperature=0.04),
        data_collator=MirrorCollator(model, span_masking={"length": 2}),
        evaluator=SimilarityEvaluator(pairs),
    )

Importing it raises `UserError` where sentence-transformers or `datasets` is not installed.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from mirror_bert._linking import ids_and_texts
from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.datasets.catalogues import CATALOGUES
from workflow_scripts.datasets.items import Items, LexiconSet, LinkingSet
from workflow_scripts.datasets.own_pairs import list_own_pairs
from workflow_scripts.datasets.sides import strings_key
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.link_options import Similarity
from workflow_scripts.scoring.evaluation import Sets, measure_sets, read_sets
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tidy_scores import EncoderIds
from workflow_scripts.tuning.losses import nt_xent_loss
from workflow_scripts.tuning.span_masking import SpanMasking, augment_pairs, token_units

try:
    import datasets  # noqa: F401  (the trainer needs it)
    from sentence_transformers.base.evaluation.evaluator import BaseEvaluator
    from sentence_transformers.sentence_transformer.data_collator import (
        SentenceTransformerDataCollator,
    )
except ModuleNotFoundError as error:
    remedy = "pip install 'sentence-transformers[train]'"
    package = str(error.name).partition(".")[0]
    raise UserError(f"package {package}", "not installed", remedy) from error

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = [
    "DatasetEvaluator",
    "LexiconEvaluator",
    "LinkingEvaluator",
    "MirrorCollator",
    "MirrorLoss",
    "SimilarityEvaluator",
]

Denominator = Literal["with_positive", "negatives_only"]
Pairs = Iterable[tuple[str, str]]


class MirrorLoss(torch.nn.Module):
    """InfoNCE over the 2B strings of B pairs (Liu et al. 2021, Eq. 1), each an anchor once.

    `temperature` divides the cosines. The negatives of an anchor are the strings of all other
    pairs, on both sides; the `denominator` holds the positive too ("with_positive", the authors'
    code) or not ("negatives_only", as printed). "with_positive" is the mean of
    MultipleNegativesRankingLoss over both orders of the two columns, with the directions
    query_to_doc and query_to_query in one softmax. Inputs: two columns of strings, no labels;
    batches of two pairs at least.
    """

    def __init__(
        self,
        model: "SentenceTransformer",
        temperature: float = 0.04,
        denominator: Denominator = "with_positive",
    ) -> None:
        super().__init__()
        self.model, self.temperature, self.denominator = model, temperature, denominator

    def forward(
        self, sentence_features: Iterable[dict[str, torch.Tensor]], labels: Any = None
    ) -> torch.Tensor:
        """Return the loss of the token ids of two columns, B strings each."""
        vectors = [self.model(column)["sentence_embedding"] for column in sentence_features]
        if len(vectors) != 2:
            remedy = "give strings alone with MirrorCollator, or pairs"
            raise UserError("MirrorLoss", f"{len(vectors)} columns of strings, not 2", remedy)
        first, second = vectors
        return nt_xent_loss(first, second, self.temperature, self.denominator)

    def get_config_dict(self) -> dict[str, Any]:
        """Return what the model card says of the loss."""
        return {"temperature": self.temperature, "denominator": self.denominator}


class MirrorCollator(SentenceTransformerDataCollator):
    """Pair each string of a batch with itself and cut a span out of one of the two.

    The training set has one column of strings, or two columns that are pairs already.
    `span_masking` has the keys of a recipe: `length`, `unit`, `side`, `min_length`, `mask_token`,
    `place` (docs/reference/config.md); None masks nothing. What is cut out depends on `seed` and on
    the number of earlier batches. Raises `UserError` for an unknown key and for rows with more
    columns. Source: Liu et al. 2021, section 2.2.
    """

    def __init__(
        self,
        model: "SentenceTransformer",
        span_masking: Mapping[str, Any] | None = None,
        seed: int = 33,
    ) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        masking = None
        if span_masking is not None:
            masking = read_block(SpanMasking, span_masking, "span_masking")
            masking.check_tokenizer(model.tokenizer)
        self._masking, self._tokenizer = masking, model.tokenizer
        self._seed, self._batches = seed, 0

    def __call__(self, features: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the token ids of the columns `first` and `second` of a batch."""
        columns = [[row[name] for row in features] for name in features[0] if name != _SET]
        if len(columns) > 2:
            remedy = "give one column of strings, or two of pairs"
            raise UserError("MirrorCollator", f"{len(columns)} columns in a row", remedy)
        self._batches += 1
        first, second = augment_pairs(
            columns[0],
            self._masking,
            self._tokenizer.mask_token or "",
            token_units(self._tokenizer),
            random.Random(f"{self._seed} masking {self._batches}"),
            partners=columns[-1],
        )
        rows = [{"first": left, "second": right} for left, right in zip(first, second, strict=True)]
        if features and _SET in features[0]:
            rows = [{_SET: features[0][_SET], **row} for row in rows]
        return super().__call__(rows)


# the column in which a trainer on several sets names that of a row
_SET = "dataset_name"


class _SetsEvaluator(BaseEvaluator):
    """Scores a SentenceTransformer on data sets, as `mirror_bert.evaluate` does."""

    def __init__(self, sets: Sets, batch_size: int) -> None:
        super().__init__()
        self._sets, self._batch_size = sets, batch_size
        first = sets.items[0]
        self.name = first["dataset"]
        self.primary_metric = f"{self.name}_{metrics_of(first['task'])[0]}"

    def __call__(
        self,
        model: "SentenceTransformer",
        output_path: str | None = None,
        epoch: int = -1,
        steps: int = -1,
    ) -> dict[str, float]:
        """Return the metrics by name, `<data set>_<metric>`; all are the higher the better."""

        def embed(strings: list[str]) -> np.ndarray:
            how = {"convert_to_numpy": True, "show_progress_bar": False}
            vectors = model.encode(strings, batch_size=self._batch_size, **how)
            return np.asarray(vectors, dtype=np.float32)

        ids = EncoderIds("model", "trainer", "own", 0)
        measured = measure_sets(embed, self._sets, ids, threads=torch.get_num_threads())
        scores = {
            f"{measurement.dataset}_{metric}": float(value)
            for measurement in measured
            for metric, value in measurement.values.items()
        }
        self.store_metrics_in_model_card_data(model, scores, epoch, steps)
        return scores


class SimilarityEvaluator(_SetsEvaluator):
    """Spearman's correlation of cosines and scores, as Multi-SimLex and STS are scored.

    `pairs` are (left string, right string, score); with scores 0 and 1 the area under the ROC curve
    is computed, too.
    """

    def __init__(
        self, pairs: Iterable[tuple[str, str, float]], name: str = "pairs", batch_size: int = 64
    ) -> None:
        super().__init__(read_sets(None, [], own=[list_own_pairs(pairs, name)]), batch_size)


class LinkingEvaluator(_SetsEvaluator):
    """Accuracy@1 and @5 of linking mentions to the names of an ontology, as SapBERT counts.

    `names` are pairs (id, name), where a name may have several ids; `mentions` are pairs (mention,
    id). A mention counts as correct at k if one of its k nearest names has its id. `similarity` is
    "cosine", or "dot" for the inner product of unnormalised vectors.
    """

    def __init__(
        self,
        names: Pairs,
        mentions: Pairs,
        similarity: Similarity = "cosine",
        name: str = "linking",
        batch_size: int = 64,
    ) -> None:
        concepts: dict[str, list[str]] = {}
        for identity, text in zip(*ids_and_texts(names), strict=True):
            concepts.setdefault(text, []).append(identity)
        gold = _pairs_of_strings(mentions, "mentions")
        items = LinkingSet(
            names=list(concepts),
            name_concepts=list(concepts.values()),
            mentions=[[mention] for mention, _ in gold],
            gold=[[[identity]] for _, identity in gold],
        )
        sets = _set_of("entity-linking", name, items)
        linking = {"similarity": similarity, "k": min(5, len(concepts))}
        retrieval = sets.retrieval.model_copy(
            update={"linking": sets.retrieval.linking.model_copy(update=linking)}
        )
        super().__init__(sets._replace(retrieval=retrieval), batch_size)


class LexiconEvaluator(_SetsEvaluator):
    """Accuracy@1 and @5 of translating words, by a map learnt on training pairs.

    `train` and `test` are pairs (source word, target word). Translations are sought among
    `target_vocabulary` and the target words of the pairs. The map and the search are those of the
    default config (supervised, CSLS). Source: Liu et al. 2021, section 4; Artetxe et al. 2018.
    """

    def __init__(
        self,
        train: Pairs,
        test: Pairs,
        source_vocabulary: Sequence[str] = (),
        target_vocabulary: Sequence[str] = (),
        name: str = "lexicon",
        batch_size: int = 64,
    ) -> None:
        learnt, tested = _pairs_of_strings(train, "train"), _pairs_of_strings(test, "test")
        vocabularies = [
            unique_in_order([*given, *(pair[side] for pair in [*learnt, *tested])])
            for side, given in enumerate((source_vocabulary, target_vocabulary))
        ]
        items = LexiconSet("source", "target", learnt, tested, *vocabularies)
        super().__init__(_set_of("lexicon", name, items), batch_size)


class DatasetEvaluator(_SetsEvaluator):
    """Scores on data sets of config/datasets.yaml, of any task; the first score is the primary one.

    `data_root` is the folder of their files, `datasets` ids or patterns ("multisimlex-*") of the
    `catalogues`.
    """

    def __init__(
        self,
        data_root: str | Path,
        datasets: str | Sequence[str],
        catalogues: Sequence[str | Path] = CATALOGUES,
        batch_size: int = 64,
    ) -> None:
        names = [datasets] if isinstance(datasets, str) else list(datasets)
        files = [Path(file) for file in catalogues]
        super().__init__(read_sets(Path(data_root), names, files, strict=True), batch_size)


def _set_of(task: str, name: str, items: Items) -> Sets:
    """Return the user's own items as a data set of a task."""
    if lacks := items.lacks():
        raise UserError(name, f"no {lacks}", "give at least one")
    sides, numbered = items.numbered()
    block = {"dataset": name, "task": task, "split": "test", "dropped": {}, **numbered}
    lists = {strings_key(name, side): strings for side, strings in sides.items()}
    return read_sets(None, [])._replace(lists=lists, items=[block])


def _pairs_of_strings(pairs: Pairs, where: str) -> list[tuple[str, str]]:
    """Return pairs of strings as a list; `UserError` for what is none."""
    listed = []
    for number, pair in enumerate(pairs):
        parts = tuple(pair) if isinstance(pair, tuple | list) else ()
        if len(parts) != 2 or not all(isinstance(text, str) and text.strip() for text in parts):
            problem, remedy = "not two strings", "give pairs of two strings that are not blank"
            raise UserError(f"{where}[{number}]", problem, remedy)
        listed.append((parts[0], parts[1]))
    return listed
