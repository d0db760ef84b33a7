"""Print how many keys of each section reach a command and a number, and why others do not.

`PYTHONPATH=.:tests/support:tests/wiring python tests/wiring/describe_wiring.py`; what it counts the
tests of this folder prove.
"""

from collections import Counter

from all_sections import KEYS, SECTIONS
from variations import reason_of


def describe() -> str:
    """Return a table of the groups of sections, and the reasons with the number of keys of each."""
    lines = ["| keys of | keys | change a command | change a number | have a reason not to |"]
    lines.append("| --- | --: | --: | --: | --: |")
    reasons: Counter[str] = Counter()
    rows: dict[str, Counter[str]] = {}
    for name, section in SECTIONS.items():
        row = rows.setdefault(name.split(".")[0], Counter())
        for key in KEYS[name]:
            fixed, unwired, unrun, same = (
                reason_of(one, key)
                for one in (
                    *(section.not_changed, section.no_command, section.not_run),
                    section.same_number,
                )
            )
            reason = fixed or unwired or unrun or same
            row["keys"] += 1
            row["command"] += not (fixed or unwired)
            row["number"] += reason is None
            row["reason"] += reason is not None
            if reason is not None:
                reasons[reason] += 1
    rows["all"] = sum(rows.values(), Counter())
    parts = ("keys", "command", "number", "reason")
    lines += [
        f"| {name} | {' | '.join(str(row[p]) for p in parts)} |" for name, row in rows.items()
    ]
    lines += ["", *(f"- {count} keys: {reason}" for reason, count in reasons.most_common())]
    return "\n".join(lines)


if __name__ == "__main__":
    print(describe())
