"""The block of config that describes one figure, checked and typed."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.tables.block_values import (
    LIST,
    OPTIONAL_LIST,
    OPTIONAL_TEXT,
    TEXT,
    check_distinct,
    checked,
    strings,
)
from workflow_scripts.tables.blocks import Cell, Part
from workflow_scripts.tables.intervals import details_path

# how far a value may lie from the published one where the block does not say
TOLERANCE = 0.01


@dataclass(frozen=True)
class NotRun:
    """A curve, series, point, panel or bucket that was not run, and why."""

    id: str
    label: str
    reason: str


@dataclass(frozen=True)
class Curve:
    """A ROC curve: its area is `cell`; details hold cosines and labels, a file for each seed.

    Curves of a `group` share a colour.
    """

    id: str
    label: str
    group: str | None
    cell: Cell
    details: tuple[str, ...]


@dataclass(frozen=True)
class SizePoint:
    """A point of a line: the record of a corpus gives its x, `cell` its y."""

    id: str
    record: str
    cell: Cell


@dataclass(frozen=True)
class Series:
    """A line with its points in the order of the block."""

    id: str
    label: str
    points: tuple[SizePoint | NotRun, ...]


@dataclass(frozen=True)
class Panel:
    """A panel of histograms: details hold cosines and labels, a file for each seed."""

    id: str
    label: str
    details: tuple[str, ...]


@dataclass(frozen=True)
class Bucket:
    """A bucket of words: the text file of its corpus, and the score after tuning on it."""

    id: str
    label: str
    corpus: str
    cell: Cell


@dataclass(frozen=True)
class RocBlock:
    """ROC curves of a pair classification data set (paper, Figure 4)."""

    dataset: str
    curves: tuple[Curve | NotRun, ...]


@dataclass(frozen=True)
class LinesBlock:
    """Score against the size of the corpus (paper, Figure 5)."""

    x_label: str
    y_label: str
    series: tuple[Series | NotRun, ...]


@dataclass(frozen=True)
class CosinesBlock:
    """Histograms of the cosines of a pair classification data set (paper, Figure 7)."""

    dataset: str
    panels: tuple[Panel | NotRun, ...]


@dataclass(frozen=True)
class BucketsBlock:
    """Words of a data set by bucket of frequency, and the score of each bucket (paper, Figure 8).

    `items` and `strings` are files of the suite; they may be left out only if no bucket was run.
    """

    x_label: str
    y_label: str
    dataset: str
    items: str | None
    strings: str | None
    buckets: tuple[Bucket | NotRun, ...]


Content = RocBlock | LinesBlock | CosinesBlock | BucketsBlock


@dataclass(frozen=True)
class FigureBlock:
    """A figure; `reference` names the published values, `content` is what its kind needs."""

    id: str
    kind: str
    title: str
    caption: str
    notes: tuple[str, ...]
    reference: str | None
    content: Content


_OUTER = {
    "id": TEXT,
    "kind": TEXT,
    "title": TEXT,
    "caption": TEXT,
    "notes": OPTIONAL_LIST,
    "reference": OPTIONAL_TEXT,
}
_NOT_RUN = {"id": TEXT, "label": TEXT, "group": OPTIONAL_TEXT, "not_run": TEXT}
_POINT_NOT_RUN = {"id": TEXT, "not_run": TEXT}
_CURVE = {
    "id": TEXT,
    "label": TEXT,
    "group": OPTIONAL_TEXT,
    "scores": LIST,
    "details": LIST,
    "departures": LIST,
    "tolerance": Option((int, float), TOLERANCE),
}
_SERIES = {"id": TEXT, "label": TEXT, "points": LIST}
_POINT = {"id": TEXT, "record": TEXT, "parts": LIST}
_PANEL = {"id": TEXT, "label": TEXT, "details": LIST}
_BUCKET = {"id": TEXT, "label": TEXT, "corpus": TEXT, "parts": LIST}
_PART = {"dataset": TEXT, "metric": TEXT, "scores": LIST}


def _files(values: list[Any], where: str) -> tuple[str, ...]:
    files = strings(values, where)
    if not files:
        raise UserError(f"{where}: is empty; name a file for each seed, or use `not_run`")
    check_distinct(list(files), where)
    return files


def _says_not_run(value: Any) -> bool:
    return isinstance(value, dict) and "not_run" in value


def _not_run(value: Any, where: str) -> NotRun:
    entry = checked(value, where, _NOT_RUN)
    return NotRun(entry["id"], entry["label"], entry["not_run"])


def _parse_parts(values: list[Any], where: str) -> Cell:
    """Return the mean of parts as a cell that nothing published is compared with."""
    parts = []
    for number, value in enumerate(values, start=1):
        part = checked(value, f"{where}, part {number}", _PART)
        scores = _files(part["scores"], f"{where}, part {number}, scores")
        parts.append(Part(part["dataset"], part["metric"], scores))
    if not parts:
        raise UserError(f"{where}: `parts` is empty; name a data set, or use `not_run`")
    return Cell(tuple(parts))


def _parse_curve(value: Any, where: str, dataset: str) -> Curve:
    curve = checked(value, where, _CURVE)
    scores = _files(curve["scores"], f"{where}, scores")
    details = _files(curve["details"], f"{where}, details")
    if details != tuple(map(details_path, scores)):
        raise UserError(
            f"{where}: `details` must be the files beside `scores`, in the same order and under "
            "the same names but for .npz; mend it"
        )
    tolerance = curve["tolerance"]
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise UserError(f"{where}: `tolerance` must be zero or more, not {tolerance!r}")
    cell = Cell(
        parts=(Part(dataset, "auc", scores),),
        departures=strings(curve["departures"], f"{where}, departures"),
        tolerance=Decimal(str(tolerance)),
    )
    return Curve(curve["id"], curve["label"], curve["group"], cell, details)


def _parse_point(value: Any, where: str, series: str) -> SizePoint | NotRun:
    if _says_not_run(value):
        missing = checked(value, where, _POINT_NOT_RUN)
        return NotRun(missing["id"], f"{series}, {missing['id']}", missing["not_run"])
    point = checked(value, where, _POINT)
    return SizePoint(point["id"], point["record"], _parse_parts(point["parts"], where))


def _parse_series(value: Any, where: str) -> Series:
    series = checked(value, where, _SERIES)
    points = tuple(
        _parse_point(point, f"{where}, point {number}", series["label"])
        for number, point in enumerate(series["points"], start=1)
    )
    return Series(series["id"], series["label"], _distinct(points, f"{where}, points"))


def _parse_panel(value: Any, where: str) -> Panel:
    panel = checked(value, where, _PANEL)
    return Panel(panel["id"], panel["label"], _files(panel["details"], f"{where}, details"))


def _parse_bucket(value: Any, where: str) -> Bucket:
    bucket = checked(value, where, _BUCKET)
    cell = _parse_parts(bucket["parts"], where)
    return Bucket(bucket["id"], bucket["label"], bucket["corpus"], cell)


Entry = TypeVar("Entry", Curve, SizePoint, Series, Panel, Bucket)


def _distinct(entries: Sequence[Entry | NotRun], where: str) -> tuple[Entry | NotRun, ...]:
    if not entries:
        raise UserError(f"{where}: needs one at least; one that is not run says why in `not_run`")
    check_distinct([entry.id for entry in entries], f"{where}, ids")
    return tuple(entries)


def _parse_roc(value: dict[str, Any], where: str) -> RocBlock:
    dataset = value["dataset"]
    curves = [
        _not_run(curve, place) if _says_not_run(curve) else _parse_curve(curve, place, dataset)
        for place, curve in _numbered(value["curves"], f"{where}, curve")
    ]
    return RocBlock(dataset, _distinct(curves, f"{where}, curves"))


def _parse_lines(value: dict[str, Any], where: str) -> LinesBlock:
    series = [
        _not_run(one, place) if _says_not_run(one) else _parse_series(one, place)
        for place, one in _numbered(value["series"], f"{where}, series")
    ]
    return LinesBlock(value["x_label"], value["y_label"], _distinct(series, f"{where}, series"))


def _parse_cosines(value: dict[str, Any], where: str) -> CosinesBlock:
    panels = [
        _not_run(panel, place) if _says_not_run(panel) else _parse_panel(panel, place)
        for place, panel in _numbered(value["panels"], f"{where}, panel")
    ]
    return CosinesBlock(value["dataset"], _distinct(panels, f"{where}, panels"))


def _parse_buckets(value: dict[str, Any], where: str) -> BucketsBlock:
    buckets = [
        _not_run(bucket, place) if _says_not_run(bucket) else _parse_bucket(bucket, place)
        for place, bucket in _numbered(value["buckets"], f"{where}, bucket")
    ]
    for key in ("items", "strings"):
        if value[key] is None and any(isinstance(bucket, Bucket) for bucket in buckets):
            raise UserError(f"{where}: option '{key}' is missing; name the file of the suite")
    return BucketsBlock(
        value["x_label"],
        value["y_label"],
        value["dataset"],
        value["items"],
        value["strings"],
        _distinct(buckets, f"{where}, buckets"),
    )


def _numbered(values: list[Any], where: str) -> list[tuple[str, Any]]:
    return [(f"{where} {number}", value) for number, value in enumerate(values, start=1)]


_AXES = {"x_label": TEXT, "y_label": TEXT}
# keys and parser of each kind
KINDS = {
    "roc": ({"dataset": TEXT, "curves": LIST}, _parse_roc),
    "lines": (_AXES | {"series": LIST}, _parse_lines),
    "cosines": ({"dataset": TEXT, "panels": LIST}, _parse_cosines),
    "buckets": (
        _AXES
        | {"dataset": TEXT, "items": OPTIONAL_TEXT, "strings": OPTIONAL_TEXT, "buckets": LIST},
        _parse_buckets,
    ),
}


def parse_figure_block(text: str) -> FigureBlock:
    """Return the figure that a JSON object describes.

    Keys of every kind: `id`, `kind`, `title`, `caption`, optionally `notes` and `reference`; the
    others are those of the kind (`KINDS`). What was not run is `{"id", "label", "not_run": reason}`
    (a point has no label).

    Raises `UserError` naming the figure and the key for text that is no JSON, an unknown kind, an
    unknown or missing key, a wrong type, an empty list, and an id or file given twice.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--block: not valid JSON ({error.msg}); give one object") from error
    if not isinstance(value, dict):
        raise UserError(f"--block: expected an object, found {value!r}; give the figure's block")
    where = f"figure `{value.get('id', '?')}`"
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise UserError(f"{where}: unknown kind {kind!r}; {nearest_name(kind, KINDS)}")
    keys, parse = KINDS[kind]
    block = checked(value, where, _OUTER | keys)
    return FigureBlock(
        id=block["id"],
        kind=kind,
        title=block["title"],
        caption=block["caption"],
        notes=strings(block["notes"], f"{where}, notes"),
        reference=block["reference"],
        content=parse(block, where),
    )
