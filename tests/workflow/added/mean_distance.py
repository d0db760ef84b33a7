"""The mean distance of the strings of a pair. A metric, for a test."""


def metric(evidence):
    return lambda counts: counts @ evidence.predicted / counts.sum(axis=-1)
