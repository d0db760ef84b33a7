"""Linking and CSLS at the size of real ontologies, by each way, in the process that measures."""

import resource
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.child_process import run_module
from benchmarks.sections import FAISS, OURS, PLAIN, SEARCH, TRAINER

Job = dict[str, Any]
# Rows and scores [queries, k].
Found = tuple[np.ndarray, np.ndarray]
# Rows in a block of products, as MUSE has them; names that are multiplied, or converted, at once.
_BLOCK = 1024
_NAMES = 20_000
_ROWS = 200_000
# Beyond what float32 rounds two scores differ.
ROUNDING = 2e-6


def scale_measures(job: Job) -> dict[str, Any]:
    """Return the measures of a job of scale_workloads.py."""
    return {"linking": _linking, "wide": _wide, "csls": _csls}[job["scale"]](job)


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Return what `work` returns, with seconds and the growth of the peak memory."""
    before = peak_memory()
    started = time.perf_counter(), time.process_time()
    found = work()
    ended = time.perf_counter(), time.process_time()
    seconds, processor = (after - first for after, first in zip(ended, started, strict=True))
    measures = {"loop_seconds": seconds, "processor_seconds": processor, "memory_before": before}
    return found, measures | {"peak_memory": peak_memory()}


def peak_memory() -> int:
    """Return the most bytes that this process has had, as the kernel counts them (Linux)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def differences(found: Found, job: Job) -> dict[str, float]:
    """Keep what brute force has found; count where others find another neighbour.

    Not where its score is the same up to rounding: two neighbours are then equally near.
    """
    rows, scores = found
    if job["way"] == PLAIN:
        np.savez(job["found"], rows=rows, scores=scores)
        return {}
    expected = np.load(job["found"])
    apart = np.abs(scores - expected["scores"])
    other = (rows != expected["rows"]) & (apart > ROUNDING)
    return {"other_rows": int((rows != expected["rows"]).sum()), "differing": int(other.sum())} | {
        "largest_difference": float(apart.max())
    }


def best_of_products(
    queries: np.ndarray, vectors: np.ndarray, k: int, block: int = _NAMES
) -> Found:
    """Return the k best of all products in float32, block by block; of equals the lower row."""
    rows, scores = np.empty((len(queries), 0), np.int64), np.empty((len(queries), 0), np.float32)
    for start in range(0, len(vectors), block):
        products = queries @ vectors[start : start + block].astype(np.float32).T
        few = min(4 * k, products.shape[1])
        near = np.argpartition(products, -few, axis=1)[:, -few:]
        rows = np.hstack([rows, near + start])
        scores = np.hstack([scores, np.take_along_axis(products, near, axis=1)])
        order = np.lexsort((rows, -scores), axis=1)[:, :k]
        rows, scores = (np.take_along_axis(one, order, axis=1) for one in (rows, scores))
    return rows, scores


def _linking(job: Job) -> dict[str, Any]:
    if job["way"] == OURS:
        _, used = run_module("link", "workflow_scripts.link", job["command"], job["threads"])
        links = [line.split("\t") for line in Path(job["links"]).read_text().splitlines()[1:]]
        shape = (-1, job["k"])
        rows = np.array([int(one[2]) for one in links]).reshape(shape)
        scores = np.array([float(one[4]) for one in links]).reshape(shape)
        # what the command took, not this process
        measures = {"loop_seconds": used["process_seconds"], "memory_before": 0}
        measures |= {"processor_seconds": used["used_seconds"]}
        measures |= {"peak_memory": used["peak_memory"]}
        return measures | differences((rows, scores), job) | job["told"]
    from workflow_scripts.embedding.suite_vectors import read_vectors
    from workflow_scripts.retrieval.suite_files import normalise

    queries = normalise(np.load(job["queries"]), "mentions")
    vectors = read_vectors(Path(job["index"]) / "vectors.npy")
    found, measures = timed(lambda: LINKERS[job["way"]](queries, vectors, job))
    return measures | differences(found, job) | job["told"]


def _by_brute_force(queries: np.ndarray, vectors: np.ndarray, job: Job) -> Found:
    return best_of_products(queries, vectors, job["k"])


def _by_faiss(queries: np.ndarray, vectors: np.ndarray, job: Job) -> Found:
    import faiss

    faiss.omp_set_num_threads(job["threads"])
    index = faiss.IndexFlatIP(vectors.shape[1])
    for start in range(0, len(vectors), _ROWS):
        index.add(vectors[start : start + _ROWS].astype(np.float32))
    scores, rows = index.search(queries, job["k"])
    return rows, scores


def _by_semantic_search(queries: np.ndarray, vectors: np.ndarray, job: Job) -> Found:
    import torch
    from sentence_transformers.util import semantic_search

    torch.set_num_threads(job["threads"])
    held = torch.from_numpy(vectors.astype(np.float32))
    hits = semantic_search(torch.from_numpy(queries), held, top_k=job["k"])
    rows = np.array([[one["corpus_id"] for one in some] for some in hits])
    return rows, np.array([[one["score"] for one in some] for some in hits])


def _by_search(queries: np.ndarray, vectors: np.ndarray, job: Job) -> Found:
    from workflow_scripts.retrieval.vector_search import search_blocks

    return search_blocks(queries, vectors, job["k"], threads=job["threads"])


LINKERS = {PLAIN: _by_brute_force, FAISS: _by_faiss, SEARCH: _by_search}
LINKERS[TRAINER] = _by_semantic_search


def _wide(job: Job) -> dict[str, Any]:
    from workflow_scripts.datasets.name_lists import NameList
    from workflow_scripts.retrieval.name_index import make_index, open_index
    from workflow_scripts.retrieval.suite_files import normalise
    from workflow_scripts.retrieval.vector_search import search_blocks

    generator = np.random.default_rng(job["seed"])

    def random_vectors(strings: Any, advance: Any = None) -> np.ndarray:
        shape = (len(strings), job["width"])
        return normalise(generator.standard_normal(shape, dtype=np.float32), "random vectors")

    folder = Path(job["folder"])
    keys = ("weights_sha256", "pooling", "max_length", "similarity", "backend", "precision")
    provenance = dict(zip(keys, repeat("none"))) | {"dtype": "float16"}
    if job["way"] == "making":
        names = [f"name {row} of an ontology" for row in range(job["names"])]
        found = NameList([f"N{row}" for row in range(job["names"])], names)
        sizes = (job["width"], "float16")
        with redirect_stdout(None):
            _, measures = timed(
                lambda: make_index(folder, found, {}, provenance, random_vectors, *sizes)
            )
        return measures
    queries = random_vectors(range(job["queries"]))

    def search() -> tuple[Any, Found]:
        index = open_index(folder, provenance, None)
        rows, scores = search_blocks(queries, index.vectors, job["k"], threads=job["threads"])
        # the names that are shown, as `link` looks them up
        _ = [index[row] for row in rows.ravel().tolist()]
        return index, (rows, scores)

    (index, (rows, scores)), measures = timed(search)
    few = queries[: job["checked"]]
    plain = best_of_products(few, index.vectors, job["k"])
    other = (rows[: len(few)] != plain[0]) & (np.abs(scores[: len(few)] - plain[1]) > ROUNDING)
    return measures | {"differing": int(other.sum())} | job["told"]


def _csls(job: Job) -> dict[str, Any]:
    # Of all ways before the clock starts.
    import faiss
    import torch

    from workflow_scripts.retrieval.csls import rank_by_csls

    torch.set_num_threads(job["threads"])
    faiss.omp_set_num_threads(job["threads"])
    sources, targets = np.load(job["sources"]), np.load(job["targets"])
    ours = {"threads": job["threads"]}
    ways = {
        PLAIN: lambda: csls_plainly(sources, targets, job["k"]),
        FAISS: lambda: csls_by_faiss(sources, targets, job["k"]),
        OURS: lambda: rank_by_csls(sources, sources, targets, job["k"], **ours),
    }
    found, measures = timed(ways[job["way"]])
    return measures | differences(found, job) | {"words": len(sources)}


def csls_by_faiss(sources: np.ndarray, targets: np.ndarray, k: int, neighbours: int = 10) -> Found:
    """Return the best targets of each source by CSLS, with three searches over all pairs.

    For a source, CSLS ranks as the inner product of (x, 1) and (2y, -r(y)) does.
    """
    import faiss

    dimension = sources.shape[1]

    def search(queries: np.ndarray, others: np.ndarray, k: int) -> Any:
        index = faiss.IndexFlatIP(others.shape[1])
        index.add(others)
        return index.search(queries, k)

    forward = search(sources, targets, neighbours)[0].mean(axis=1)
    backward = search(targets, sources, neighbours)[0].mean(axis=1)
    longer = np.ones((len(sources), dimension + 1), np.float32)
    longer[:, :-1] = sources
    scores, rows = search(longer, np.hstack([2 * targets, -backward[:, None]]), k)
    return rows, scores - forward[:, None]


def csls_plainly(sources: np.ndarray, targets: np.ndarray, k: int, neighbours: int = 10) -> Found:
    """Return the same as MUSE does (get_nn_avg_dist, get_candidates): blocks of all products."""
    import torch

    left, right = torch.from_numpy(sources), torch.from_numpy(targets)

    def means(vectors: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        blocks = (some @ others.T for some in vectors.split(_BLOCK))
        return torch.cat([block.topk(neighbours, dim=1).values.mean(dim=1) for block in blocks])

    forward, backward = means(left, right), means(right, left)
    rows, scores = [], []
    for start in range(0, len(left), _BLOCK):
        block = 2 * (left[start : start + _BLOCK] @ right.T)
        block -= forward[start : start + _BLOCK, None] + backward
        best = block.topk(k, dim=1)
        rows.append(best.indices.numpy())
        scores.append(best.values.numpy())
    return np.concatenate(rows), np.concatenate(scores)
