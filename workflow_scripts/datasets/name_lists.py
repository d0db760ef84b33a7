"""Names to link to, with their ids, from files in the formats of dictionaries and ontologies."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from workflow_scripts.datasets.concept_ids import split_concept_ids
from workflow_scripts.datasets.dictionaries import READERS, DictionaryFormat, reader
from workflow_scripts.datasets.mrconso import (
    concepts_of_types,
    read_mrconso,
    semantic_types_file,
)
from workflow_scripts.datasets.obo import read_obo_terms
from workflow_scripts.datasets.rows import require_ids
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.delimited import Layout, malformed, refuse_header
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_text, stream_lines
from workflow_scripts.string_columns import (
    TableOptions,
    conditions,
    form_of,
    require_lines,
    strings_of,
)

_TABLE, _MRCONSO = "table", "mrconso"
NamesFormat = Literal["tsv", "lines", "table", "obo", "mrconso", DictionaryFormat]
FORMATS: tuple[str, ...] = get_args(NamesFormat)
# that decide the format
_LINES_LOOKED_AT = 1000
# line number, id as written, names
_Rows = Iterator[tuple[int, str, list[str]]]


@dataclass(frozen=True)
class Choices:
    """How names are read.

    Four are of MRCONSO.RRF (its LAT, SAB and SUPPRESS; semantic types are in the MRSTY.RRF next
    to it). Two are of tables: the columns of the names and of their ids (without one a name is its
    own). `where` is of both: which rows are read, COLUMN=VALUE each.
    """

    form: str | None = None
    lower_case: bool = False
    language: str = "ENG"
    sources: Sequence[str] | None = None
    suppress: Sequence[str] = ("N",)
    name_column: str | None = None
    id_column: str | None = None
    where: Sequence[str] | None = None
    semantic_types: Sequence[str] | None = None


# by the formats that they are of
_OF_FORMS = {
    (_MRCONSO,): ("language", "sources", "suppress", "semantic_types"),
    (_TABLE,): ("name_column", "id_column"),
    (_TABLE, _MRCONSO): ("where",),
}
# by the columns of MRCONSO.RRF that they are values of
_OF_COLUMNS = {"LAT": "language", "SAB": "sources", "SUPPRESS": "suppress"}


def _read_lines(path: Path) -> _Rows:
    lines = enumerate(stream_lines(path), start=1)
    return ((line, text, [text]) for line, text in lines if text.strip())


# all formats but those that have choices of their own, tables and MRCONSO.RRF
_READERS: dict[str, Callable[[Path], _Rows]] = {
    "tsv": reader(Layout((1, 2), "a row of id<TAB>name", refuse_quoted_tab=True)),
    "lines": _read_lines,
    "obo": read_obo_terms,
    **READERS,
}


def _form(path: Path, choices: Choices) -> str:
    if choices.form:
        return choices.form
    has_columns = choices.name_column is not None
    if has_columns and form_of(path) is not None:
        return _TABLE
    form = _guess_format(path)
    return _TABLE if has_columns and form == "tsv" else form


def _read_table(path: Path, choices: Choices) -> _Rows:
    check_choices([path], choices)
    columns = tuple(filter(None, (choices.id_column, choices.name_column)))
    rows = strings_of(path, TableOptions(columns, choices.where or ()))
    return ((line, texts[0], texts[-1:]) for line, texts in rows)


def _read(path: Path, choices: Choices) -> _Rows:
    form = _form(path, choices)
    if form == _TABLE:
        return _read_table(path, choices)
    if form != _MRCONSO:
        return _READERS[form](path)
    concepts = None
    if choices.semantic_types:
        concepts = concepts_of_types(semantic_types_file(path), choices.semantic_types)
    options = (choices.language, choices.sources, choices.suppress)
    rows = read_mrconso(path, *options, conditions(choices.where or ()), concepts)
    return ((line, identity, [name]) for line, identity, name in rows)


def files_read(paths: Sequence[Path], choices: Choices) -> list[Path]:
    """Return the files that `read_names` reads: `paths`, and MRSTY.RRF for semantic types."""
    if not choices.semantic_types:
        return [*paths]
    umls = [path for path in paths if _form(path, choices) == _MRCONSO]
    return list(dict.fromkeys([*paths, *map(semantic_types_file, umls)]))


@dataclass
class NameList:
    """Names and, row by row, their ids as written; what was left out is counted."""

    ids: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def summary(self) -> str:
        """How many names there are, and how many were left out."""
        left_out = "".join(f", {count} {why} left out" for why, count in self.dropped.items())
        return f"{len(self.names)} names{left_out}"

    def write(self, path: Path) -> None:
        """Write id<TAB>name a line."""
        with atomic_text(path) as stream:
            rows = zip(self.ids, self.names, strict=True)
            stream.writelines(f"{identity}\t{name}\n" for identity, name in rows)


def check_choices(paths: Sequence[Path], choices: Choices) -> None:
    """Raise `UserError` for a table without its columns, and for choices that no file takes."""
    given, usual = (
        {**asdict(options), "suppress": [*options.suppress]} for options in (choices, Choices())
    )
    forms = [_form(path, choices) for path in paths]
    if choices.name_column is None and _TABLE in forms:
        path = paths[forms.index(_TABLE)]
        require_lines("--names", path, "name its columns: --name-column, and --id-column of ids")
        raise UserError("--name-column", f"missing, although {path} is read as a table", "give it")
    for of_forms, keys in _OF_FORMS.items():
        chosen = [key for key in keys if given[key] != usual[key]]
        if chosen and forms and not {*of_forms} & {*forms}:
            option, readable = f"--{chosen[0].replace('_', '-')}", " or ".join(of_forms)
            problem = f"{paths[0]} is read as {forms[0]}, not as {readable}"
            raise UserError(option, problem, "remove it")
    if _MRCONSO in forms:
        for column in conditions(choices.where or ()):
            key = _OF_COLUMNS.get(column, "")
            if key and given[key] != usual[key]:
                raise UserError(f"--where {column}", f"--{key} is given too", "give one of them")
    files_read(paths, choices)


def read_names(paths: Sequence[Path], choices: Choices) -> NameList:
    """Return the names of files with their ids, in the files' order; a repeated row counts once.

    White space of names is collapsed, as for all names and mentions. Of format "lines" a name is
    its own id. Raises `UserError` that names file and line, and for files without a name.
    """
    name_list = NameList()
    seen: set[str] = set()
    for path in paths:
        for row, (line, identity, names) in enumerate(_read(path, choices)):
            if row == 0:
                refuse_header([*identity.split("|"), *names[:1]], "a name", path, line)
            identity = normalise_whitespace(identity)
            if not identity:
                raise malformed(path, line, "no id")
            names = list(map(normalise_whitespace, names))
            # of lines a name is its own id, of tables without a column of ids
            if names != [identity]:
                ids = split_concept_ids(identity)
                require_ids(ids, path, line)
                if not ids:
                    name_list.dropped["without a concept"] += len(names)
                    continue
            for name in names:
                if not name:
                    name_list.dropped["empty"] += 1
                    continue
                name = name.lower() if choices.lower_case else name
                pair = f"{identity}\t{name}"
                if pair in seen:
                    name_list.dropped["repeated"] += 1
                    continue
                seen.add(pair)
                name_list.ids.append(identity)
                name_list.names.append(name)
    if not name_list.names:
        raise UserError(", ".join(map(str, paths)), "no names", "give a file that has some")
    return name_list


def _guess_format(path: Path) -> str:
    """Return the format by the file's name, else by its first lines, which must agree."""
    name = path.name.removesuffix(".gz").lower()
    if name.endswith(".obo"):
        return "obo"
    if name.startswith("mrconso"):
        return "mrconso"
    if form_of(path) not in (None, "TSV"):
        return _TABLE
    lines = ((n, text) for n, text in enumerate(stream_lines(path), start=1) if text.strip())
    rows = [(n, "\t" in text, "||" in text, text) for n, text in islice(lines, _LINES_LOOKED_AT)]
    if not rows:
        return "lines"
    tabs, bars = (all(row[column] for row in rows) for column in (1, 2))
    first, tab, bar, _ = rows[0]
    if tab and bar and tabs == bars:
        raise _not_clear(path, first, "holds a tab and `||`")
    if not (tab or bar):
        for line, tab, bar, _ in rows:
            if tab or bar:
                held = "a tab" if tab else "`||`"
                raise _not_clear(path, line, f"holds {held}, but lines above do not")
        return "lines"
    # of a line that has none the reader tells
    if tab and not (bar and bars):
        return "tsv"
    for line, _, _, text in rows:
        if "|" in text.replace("||", ""):
            what = "either id|alternative id||name|name (medic) or id||name (id-name)"
            raise _not_clear(path, line, what)
    return "id-name"


def _not_clear(path: Path, line: int, what: str) -> UserError:
    return UserError(f"{path}:{line}", what, "choose one with --names-format")
