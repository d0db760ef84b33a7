"""Reports of the commands, made of a few numbers."""

import random

import numpy as np

from workflow_scripts.reports.evaluation_report import evaluation_report
from workflow_scripts.reports.link_report import link_report
from workflow_scripts.reports.link_survey import LinkSurvey
from workflow_scripts.reports.search_report import nearest_report, pairs_report
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.mention_links import Link, Report, how_linked
from workflow_scripts.retrieval.mentions import Mention, mention_batches
from workflow_scripts.retrieval.numbered_lines import number_lines
from workflow_scripts.scoring.evaluation import Evaluation

# what would be a script, the end of one, or of an attribute
HOSTILE = "</td></script><script>alert(1)</script>&\"'<b>"


def answers_of(number, seed=3):
    """Return mentions with gold ids, and three links of each."""
    pick = random.Random(seed)
    mentions, links = [], {}
    for row in range(number):
        text = f"mention {row}"
        scores = sorted((round(pick.random(), 3) for _ in range(3)), reverse=True)
        links[text] = [Link(f"D{pick.randint(0, 3)}", f"name {n}", s) for n, s in enumerate(scores)]
        mentions.append(Mention(text, pick.choice(["D0|D9", "D1", "-1", ""])))
    return mentions, links


def surveyed(mentions, links, options, size=64):
    survey, counts = LinkSurvey(), Report(options.k, None)
    for batch in mention_batches(mentions, lower_case=False, size=size):
        survey.add_batch(batch, [links[text] for text in batch.distinct], options)
        for mention in batch.mentions:
            how = how_linked(links[mention.text], options)
            counts.add(mention, links[mention.text][: options.k], **how._asdict())
    return survey, counts


def lines(texts):
    return number_lines("strings", texts)


def score(dataset, metric, value, n=100, **more):
    row = {"dataset": dataset, "metric": metric, "value": value, "low": value - 0.05}
    row |= {"high": value + 0.05, "n": n, "coverage": 1.0, "dropped": {}}
    return row | more


def evaluation_of(rows, means=(), missing=None):
    about = {"model": "own", "pooling": "mean", "versions": {"torch": "2"}, "weights_sha256": "ab"}
    record = about | {"against": about | {"model": "base"}}
    return Evaluation(rows, list(means), ["a sentence"], record, missing or {}, {})


def compared(dataset, change, p_value, metric="spearman"):
    ends = {"difference_low": change - 0.03, "difference_high": change + 0.03}
    more = {"against": 0.5, "difference": change, "p_value": p_value}
    return score(dataset, metric, 0.5 + change, **ends, **more)


def reports_with(text, number):
    """Return a report of each command in which all texts of users are `text`, and many."""
    texts = [f"{n} {text}" for n in range(number)]
    many = lines(texts)
    rows = np.column_stack([np.arange(number), np.arange(number)[::-1]])
    scores = np.random.default_rng(0).random((number, 2)).cumsum(axis=1)[:, ::-1]
    links = {
        name: [Link(f"{name}|{n}", f"{name} {n}", float(score)) for n, score in enumerate(own)]
        for name, own in zip(texts, scores, strict=True)
    }
    mentions = [Mention(name, f"{name}|0") for name in texts]
    options = LinkOptions(1, 0.7)
    survey, counts = surveyed(mentions, links, options)
    values = [compared(name, 0.1, 0.01) for name in texts[:400]]
    missing = dict.fromkeys(texts[:50], text)
    return [
        evaluation_report(evaluation_of(values, missing=missing), text, text),
        link_report(text, survey, options, counts),
        nearest_report(text, many, many, rows, scores, 0.7),
        pairs_report(text, many, many, rows[:, 0], rows[:, 1], scores[:, 0], "cosine"),
    ]
