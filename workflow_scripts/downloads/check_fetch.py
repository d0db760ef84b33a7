"""Ask every address of data sets and models for its headers, before anything is downloaded."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Annotated, NamedTuple

from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.hub import ask_hub
from workflow_scripts.downloads.model_folders import parse_address
from workflow_scripts.downloads.reachability import Answer, ask
from workflow_scripts.downloads.registry import (
    DataSet,
    RegisteredArchive,
    RegisteredFile,
    find_data_set,
    read_registry,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.path_functions import MAY_BE_BARE, command

_HEADER = ("name", "size", "known by", "answer", "address")
# How a file or model is known before it is fetched: by a hash of the very bytes; by public code,
# which has the file's hash or uses the model at its commit; by nothing.
BYTES, PUBLIC, NOTHING = "bytes", "public code", "nothing"
_PACKAGES = ("requests", "huggingface_hub")
_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


class Asked(NamedTuple):
    """An address to ask; `known_by` says how its content is known beforehand.

    `others` are further addresses of the same bytes: one of all is enough.
    """

    name: str
    address: str
    known_by: str
    ask: Callable[[], Answer]
    others: tuple[str, ...] = ()


def addresses_of(data_set: DataSet, timeout: float) -> Iterator[Asked]:
    """Yield the addresses of a data set: of its files, and of the archives of others."""
    sources: list[RegisteredFile | RegisteredArchive] = [*data_set.files, *data_set.archives]
    for source in sources:
        known = _known_by(source)
        for url in source.urls:
            others = tuple(other for other in source.urls if other != url)
            question = partial(_ask_expecting, url, source.size, timeout)
            yield Asked(data_set.name, url, known, question, others)


def _known_by(source: RegisteredFile | RegisteredArchive) -> str:
    """Return how the bytes of a file, or of all that is taken of an archive, are known."""
    if source.verified:
        return BYTES
    members = source.members if isinstance(source, RegisteredArchive) else []
    if members and all(member.verified for member in members):
        return BYTES
    known = source.sha256 or (members and all(member.sha256 for member in members))
    return PUBLIC if known else NOTHING


def _ask_expecting(url: str, size: int | None, timeout: float) -> Answer:
    answer = ask(url, timeout)
    if answer.problem is None and None not in (size, answer.size) and size != answer.size:
        return answer._replace(problem=f"has {answer.size} bytes, the registry {size}")
    return answer


def size_text(size: int | None) -> str:
    if size is None:
        return "?"
    return next((f"{size / of:.1f} {unit}" for of, unit in _UNITS if size >= of), f"{size} B")


def table_of(asked: Sequence[Asked], answers: Sequence[Answer]) -> list[str]:
    """Return the lines of the table, one for each address, and of its totals."""
    rows = [_HEADER]
    for question, answer in zip(asked, answers, strict=True):
        what = "fails" if answer.problem else "moved" if answer.moved_to else "ok"
        more = [f"to {answer.moved_to}"] if answer.moved_to else []
        more += [answer.problem] if answer.problem else []
        address = f"{question.address} ({'; '.join(more)})" if more else question.address
        rows.append((question.name, size_text(answer.size), question.known_by, what, address))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    sizes = {
        frozenset((question.address, *question.others)): answer.size
        for question, answer in zip(asked, answers, strict=True)
        if answer.problem is None
    }
    reached = [answer for answer in answers if answer.problem is None]
    totals = [
        f"{len(reached)} of {len(asked)} addresses are reachable",
        f"{size_text(sum(size or 0 for size in sizes.values()))} in all",
        f"{sum(size is None for size in sizes.values())} of unknown length",
        f"{sum(answer.moved_to is not None for answer in answers)} moved",
        *(
            f"{sum(question.known_by == way for question in asked)} known by {way}"
            for way in (BYTES, PUBLIC, NOTHING)
        ),
    ]
    return [*lines, f"{', '.join(totals)}."]


def unserved(asked: Sequence[Asked], answers: Sequence[Answer]) -> list[str]:
    """Return the addresses that fail, unless another one of the same bytes answers."""
    pairs = list(zip(asked, answers, strict=True))
    good = {question.address for question, answer in pairs if answer.problem is None}
    return [
        question.address
        for question, answer in pairs
        if answer.problem is not None and good.isdisjoint(question.others)
    ]


def check_fetch(
    *,
    registry: Path = Path("config/registry.yaml"),
    names: Annotated[Sequence[str] | None, MAY_BE_BARE] = None,
    models: Sequence[str] = (),
    confirmed: Sequence[str] = (),
    report: Path | None = None,
    threads: int = 8,
    timeout: float = 20.0,
) -> None:
    """Ask every address of data sets and models for its headers, before anything is downloaded.

    Args:
        registry: registry file
        names: entries of the registry; all by default
        models: models of the hub, as id@revision
        confirmed: those of them that public code uses at their commit
        report: file for the table, with date and versions, to be sent to a maintainer
        threads: addresses asked at a time
        timeout: seconds to wait for an answer
    """
    entries = read_registry(registry)
    sets = [
        find_data_set(entries, name, registry) for name in (entries if names is None else names)
    ]
    asked = [address for data_set in sets for address in addresses_of(data_set, timeout)]
    for model in map(parse_address, models):
        # the hub has the hashes of its files, if there is such a commit
        known = PUBLIC if model.address in confirmed else NOTHING
        question = partial(ask_hub, model, timeout)
        asked.append(Asked(model.repository, model.address, known, question))
    with ThreadPoolExecutor(max(1, threads)) as pool:
        answers = list(pool.map(lambda address: address.ask(), asked))
    lines = table_of(asked, answers)
    print(*lines, sep="\n", flush=True)
    if report is not None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        versions = [f"{name} {version(name)}" for name in _PACKAGES]
        head = [f"check_fetch, {now}, Python {python_version()}, {', '.join(versions)}", ""]
        write_text(report, "".join(f"{line}\n" for line in [*head, *lines]))
    if wrong := unserved(asked, answers):
        raise UserError(
            registry,
            f"{len(wrong)} of {len(asked)} addresses are wrong, the first is {wrong[0]}",
            "fix it or the config, or use a mirror (downloads.mirror)",
        )


main = command(check_fetch)

if __name__ == "__main__":
    run_command(main)
