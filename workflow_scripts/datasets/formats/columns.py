"""The formats that are a choice of columns: a class for each, named as the format (`StsBenchmark`).

A class declares the keys of a block, the files that they name (`list_files`; by default that of the
key `path`) and the columns (`LAYOUT`, or `layout()` if they depend on keys). Its base says what is
made of the columns: `ScoredColumns`, `LabelledColumns` or `MentionColumns`.

A data set depends on the class of its format, not on this file (see `plan.rule_inputs`): an edited
class rereads the data sets of its format, a new one reruns nothing. So the file has classes alone,
and these use what the modules of their bases import.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import model_validator

from workflow_scripts.configuration.blocks import Distinct, Field, Text, mistake
from workflow_scripts.datasets.dictionaries import DictionaryFormat
from workflow_scripts.datasets.entity_linking import Mention, MentionColumns
from workflow_scripts.datasets.labelled_pairs import LabelledColumns
from workflow_scripts.datasets.rows import read_aligned_lines
from workflow_scripts.datasets.scored_pairs import STS_BENCHMARK, ScoredColumns
from workflow_scripts.delimited import Layout, Row, malformed, read_rows
from workflow_scripts.errors import UserError

# ---- pairs with a score --------------------------------------------------------------------------


class Simlex(ScoredColumns):
    """SimLex-999: English word pairs with a similarity from 0 to 10."""

    LAYOUT: ClassVar = Layout(("word1", "word2", "SimLex999", "POS"))
    SCALE: ClassVar = (0.0, 10.0)
    STRINGS: ClassVar = "a word"

    path: Text = Field("simlex-999/SimLex-999.txt", description="The file.")


class StsBenchmark(ScoredColumns):
    """STS Benchmark: `sts-{train,dev,test}.csv`, which are tab-separated in spite of the name.

    No header, quoting off, seven to nine columns: genre, source file, year, number, score, sentence
    1, sentence 2, and sometimes two columns of origin.
    """

    LAYOUT: ClassVar = STS_BENCHMARK

    path: Text = Field("sts-benchmark", description="Folder of the three files.")

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.path / f"sts-{self.split}.csv"]


class StsbMultiMt(ScoredColumns):
    """The STS Benchmark machine-translated into other languages (stsb-multi-mt, by DeepL).

    `stsb-<language>-<split>.csv` is comma-separated with quotes: sentence, sentence, score; no
    header.
    """

    LAYOUT: ClassVar = Layout(
        (1, 2, 3), "a row of sentence,sentence,score (3 fields)", exact=True, delimiter=","
    )

    path: Text = Field("stsb-multi-mt", description="Folder of the files.")

    def list_files(self, root: Path) -> list[Path]:
        return [root / self.path / f"stsb-{self.language}-{self.split}.csv"]

    def subset(self, path: Path) -> str:
        return self.language


class Sick(ScoredColumns):
    """SICK relatedness: the SemEval-2014 files, one per split, or the full file with a split
    column.
    """

    LAYOUT: ClassVar = Layout(
        ("sentence_A", "sentence_B", "relatedness_score"), optional=["SemEval_set"]
    )
    SCALE: ClassVar = (1.0, 5.0)
    # split -> (file of the SemEval-2014 release, value of the column SemEval_set)
    SPLITS: ClassVar = {
        "train": ("SICK_train.txt", "TRAIN"),
        "dev": ("SICK_trial.txt", "TRIAL"),
        "test": ("SICK_test_annotated.txt", "TEST"),
    }

    path: Text = Field(
        "sick/semeval2014", description="Folder of the SemEval-2014 files, or SICK.txt(.gz)."
    )
    split: Literal["train", "dev", "test"] = Field("test", description="Which split is read.")

    def list_files(self, root: Path) -> list[Path]:
        path = root / self.path
        return [path if path.suffix in (".txt", ".gz") else path / self.SPLITS[self.split][0]]

    def rows(self, path: Path) -> Iterator[Row]:
        own_file, own_split = self.SPLITS[self.split]
        known = [name for _, name in self.SPLITS.values()]
        # the full file has this column, those of SemEval-2014 have a split each
        is_full = "SemEval_set" in next(read_rows(path, Layout()), (0, []))[1]
        for line, (*row, split) in super().rows(path):
            if not is_full and path.name != own_file:
                raise UserError(
                    f"{path}:1",
                    f"no column SemEval_set that says what is `{self.split}`",
                    "give the full file, or the folder of the files of SemEval-2014",
                )
            split = split.strip() if is_full else own_split
            if split not in known:
                what = f"expected a split among {', '.join(known)}, found {split!r}"
                raise malformed(path, line, what)
            if split == own_split:
                yield line, [*row, self.split]


class ScoredPairs(ScoredColumns):
    """Your own scored pairs: a file with two strings and a number per row."""

    STRINGS: ClassVar = "a string"

    path: Text = Field(description="A file of pairs: tab-separated, or with quotes if it is .csv.")
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] | None = Field(
        None,
        description=(
            "The columns of left string, right string and score in the file's header. Without "
            "it: tab-separated in this order, no header."
        ),
    )
    lowest: float | None = Field(None, description="A score below it is an error.")
    highest: float | None = Field(None, description="A score above it is an error.")

    def scale(self) -> tuple[float, float]:
        lowest = -math.inf if self.lowest is None else self.lowest
        return lowest, math.inf if self.highest is None else self.highest

    def layout(self) -> Layout:
        if self.columns is not None:
            return Layout(self.columns, delimiter=None)
        return Layout((1, 2, 3), "a row of string<TAB>string<TAB>score")


# ---- pairs with a label --------------------------------------------------------------------------


class Qnli(LabelledColumns):
    """QNLI of GLUE: does the sentence hold the answer to the question (paper Figure 4)?

    The columns are index, question, sentence, label. The paper scores dev: test has no labels.
    """

    LAYOUT: ClassVar = Layout(("question", "sentence", "label"), delimiter=None)
    LABELS: ClassVar = {"not_entailment": 0, "entailment": 1}
    STRINGS: ClassVar = "a question or sentence"

    path: Text = Field("qnli/dev.tsv", description="A file of GLUE, or a sample of one as JSON.")


class LabelledPairs(LabelledColumns):
    """Labelled pairs of sentences (PAWS-X, XNLI, SNLI, MultiNLI, MRPC, ...), in no table of the
    paper.

    Labels are made 0 and 1: XNLI's `entailment` against its two other labels, say.
    """

    path: Text | list[Text] = Field(
        description="A file of pairs, or three parallel files: left strings, right strings, labels."
    )
    columns: Annotated[Distinct[Text], Field(min_length=3, max_length=3)] | None = Field(
        None,
        description=(
            "The columns of left string, right string and label in the file's header, or their "
            "keys in JSON. Without it: tab-separated in this order, no header."
        ),
    )
    positive: Distinct[str | int] = Field(description="The labels that become 1.")
    negative: Distinct[str | int] = Field(
        description="The labels that become 0; any other label is an error."
    )

    @model_validator(mode="after")
    def _pairs_with_labels_of_one_side(self) -> Self:
        if isinstance(self.path, list) and len(self.path) != 3:
            raise mistake("give a file of pairs, or three: left, right, labels")
        if both := {*map(str, self.positive)} & {*map(str, self.negative)}:
            raise mistake(f"`positive` and `negative` both have {min(both)!r}; remove one")
        return self

    def layout(self) -> Layout:
        if self.columns is not None:
            return Layout(self.columns, delimiter=None)
        return Layout((1, 2, 3), "a row of string<TAB>string<TAB>label")

    def labels(self) -> dict[str, int]:
        both = enumerate((self.negative, self.positive))
        return {str(label): number for number, labels in both for label in labels}

    def rows(self, paths: list[Path]) -> Iterator[Row]:
        return read_aligned_lines(paths) if len(paths) > 1 else super().rows(paths)


# ---- mentions and the concepts that they are linked to -------------------------------------------


class Biosyn(MentionColumns):
    """The processed layout of BioSyn and SapBERT: `*.concept` query files and `id||name`
    dictionaries.

    A query line is `document||start|end||type||mention||ids`; mentions and ids of a composite are
    joined by `|` or `+`. Digits, case, punctuation and abbreviations were already dealt with
    upstream.
    """

    LAYOUT: ClassVar = Layout(
        (4, 5), "document||span||type||mention||ids (5 fields)", exact=True, delimiter="||"
    )

    path: Text = Field(description="The folder of a split, such as ncbi-disease/processed_test.")

    def query_paths(self, root: Path) -> list[Path]:
        # an absent folder, or one without queries, is returned by the name that it lacks
        folder = root / self.path
        queries = sorted(folder.glob("*.concept")) or [folder / "*.concept"]
        return queries if folder.is_dir() else [folder]

    def as_mention(self, path: Path, line: int, text: str, ids: str) -> Mention:
        parts = [part for part in re.split(r"[|+]", text) if part.strip()]
        return Mention(path, line, " ".join(parts), ids, parts)


class Askapatient(MentionColumns):
    """AskAPatient: phrases of patients' posts, in ten folds.

    As its authors release it (Zenodo 55013) a row is id<TAB>preferred name<TAB>phrase, in
    ISO-8859-1. SapBERT's authors release the phrases of each fold as `id||phrase` with a
    dictionary.
    """

    STRINGS: ClassVar = "a phrase"

    path: Text = Field("askapatient", description="Folder of the folds.")
    fold: Annotated[int, Field(ge=0, le=9)] | Literal["all"] = Field(
        0, description="A fold, or all ten: SapBERT reports the mean over folds of similar size."
    )
    form: Literal["original", "preprocessed"] = Field(
        "original", description="*.test.txt, or SapBERT's *.test.preprocessed_query.txt."
    )

    def query_paths(self, root: Path) -> list[Path]:
        # the split is called validation in the files' names
        split = {"dev": "validation"}.get(self.split, self.split)
        ending = {"original": "txt", "preprocessed": "preprocessed_query.txt"}[self.form]
        folds = range(10) if self.fold == "all" else [self.fold]
        return [root / self.path / f"AskAPatient.fold-{fold}.{split}.{ending}" for fold in folds]

    def layout(self) -> Layout:
        if self.form == "preprocessed":
            return Layout((2, 1), "id||phrase", exact=True, delimiter="||")
        what = "a row of id<TAB>preferred name<TAB>phrase"
        return Layout((3, 1), what, encoding="iso-8859-1")


class Cometa(MentionColumns):
    """COMETA: terms of Reddit users with SNOMED CT ids.

    `{train,dev,test}.csv` are tab-separated in spite of the name, quoting off, with a header.
    """

    STRINGS: ClassVar = "a term"

    path: Text = Field("cometa/splits/stratified_general", description="Folder of the splits.")
    concept: Literal["general", "specific"] = Field("general", description="Which SNOMED CT id.")

    def query_paths(self, root: Path) -> list[Path]:
        return [root / self.path / f"{self.split}.csv"]

    def layout(self) -> Layout:
        return Layout(("Term", f"{self.concept.capitalize()} SNOMED ID"))


class MentionRows(MentionColumns):
    """NCBI disease as Chen et al. (2021) prepared it: a mention a row, digits and case dealt with.

    A row is document, mention, concept ids, and the mention as prepared: abbreviations written out,
    punctuation removed. Their dictionary (`entity_kb.txt`, form `id-tab-name`) is prepared alike.
    """

    path: Text = Field(description="The file.")
    mention: Literal["prepared", "written"] = Field("prepared", description="In which form.")
    dictionary_format: DictionaryFormat = Field("id-tab-name", description="Of the dictionary.")

    def layout(self) -> Layout:
        column = {"written": 2, "prepared": 4}[self.mention]
        return Layout((column, 3), "a row of document<TAB>mention<TAB>ids<TAB>mention", width=4)
