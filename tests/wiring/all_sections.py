"""All sections of keys: with one plan for all their values, or with one for each value."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import bundled_sections
import config_sections
import corpus_sections
import dataset_sections
import other_sections
import page_sections
import recipe_sections
from variations import Section, Variation, all_keys, keys_of, reason_of, variations
from wired_sections import Base, Outcomes, jobs_of, pack, wires
from wiring_project import small_config

KEYS = all_keys() | {name: keys_of(one) for name, one in bundled_sections.KINDS.items()}
PACKED: dict[str, Section] = {
    **recipe_sections.SECTIONS,
    **corpus_sections.SECTIONS,
    **dataset_sections.SECTIONS,
    **page_sections.SECTIONS,
    **other_sections.SECTIONS,
}
# section, key of the config that it is the block of (None: all of it), targets
ALONE: dict[str, tuple[Section, str | None, list[str]]] = {
    **other_sections.ALONE,
    **config_sections.ALONE,
    **bundled_sections.ALONE,
}
# what other Snakefile the keys of a section are of
SNAKEFILES = dict.fromkeys(bundled_sections.ALONE, bundled_sections.SNAKEFILE)
SECTIONS: dict[str, Section] = {**PACKED, **{name: one[0] for name, one in ALONE.items()}}


@cache
def _packed(name: str) -> Any:
    packed = pack(small_config(), name, KEYS[name], PACKED[name])
    jobs = packed.plan()
    return packed.pairs, jobs, Outcomes(jobs)


@cache
def _alone(name: str) -> Any:
    section, block, targets = ALONE[name]
    config = small_config() if block else dict(section.base)
    pairs = []
    for one in variations(KEYS[name], section):
        both = (one.before, one.after)
        pairs.append((one, *({**config, block: b} if block else b for b in both)))
    return pairs, Base(config, targets, SNAKEFILES.get(name, "Snakefile"))


def changed_wires(name: str) -> Iterator[tuple[Variation, dict[str, list[str]]]]:
    """Yield each variation of a section, and the options of commands that it changes."""
    if name in PACKED:
        pairs, jobs, _ = _packed(name)
        for pair in pairs:
            yield pair.variation, wires(jobs_of(jobs, pair.before), jobs_of(jobs, pair.after))
    else:
        pairs, base = _alone(name)
        for one, before, after in pairs:
            yield one, wires(base.jobs(before), base.jobs(after), one.renamed)


def changed_numbers(name: str) -> Iterator[tuple[Variation, bool]]:
    """Yield each variation of a section that can be run, and whether a number changes."""
    if name in PACKED:
        pairs, _, outcomes = _packed(name)
        for pair in pairs:
            before = outcomes.of(pair.before)
            assert "error" not in before, f"{pair.variation.key}: {before.get('error')}"
            yield pair.variation, before != outcomes.of(pair.after)
    else:
        pairs, base = _alone(name)
        for one, before, after in pairs:
            if not reason_of(SECTIONS[name].not_run, one.key):
                yield one, base.numbers_change(before, after)
