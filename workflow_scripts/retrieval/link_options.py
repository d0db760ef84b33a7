"""Options that the commands of linking share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workflow_scripts.imports import Device

Similarity = Literal["cosine", "dot"]


@dataclass(frozen=True)
class NameEncoderOptions:
    """The encoder of names and mentions, and what it runs on.

    Args:
        encoder: model or encoder folder
        settings: of the encoder, as JSON
        similarity: cosine: of unit length
        threads: threads of torch
        device: where the model runs; auto: CUDA where there is a device
    """

    encoder: str
    settings: dict[str, Any]
    similarity: Similarity
    threads: int = 1
    device: Device = "cpu"


@dataclass(frozen=True)
class MentionOptions:
    """What the mentions are.

    Args:
        mentions: text file with one mention per line, or a table; - for standard input
        mention_column: number from 1, or name in the header (default: the whole line)
        gold_column: correct ids, joined by |, for the accuracy (-1: not counted)
        document_column: text of the document, whose abbreviations are expanded in the mention
        documents: folder of documents; the document column then holds file names
        lower_case: lower-case names and mentions
    """

    mentions: str
    mention_column: str | None = None
    gold_column: str | None = None
    document_column: str | None = None
    documents: Path | None = None
    lower_case: bool = False


@dataclass(frozen=True)
class LinkOptions:
    """How many links a mention gets, and when it gets none.

    It is linked if its best score is at least `threshold`, and lies above the second by `margin`.

    Args:
        k: ids per mention
        threshold: do not link mentions whose best score is lower
        margin: do not link mentions whose second best score is closer to the best than this
    """

    k: int = 5
    threshold: float | None = None
    margin: float | None = None
