"""Run the published SentEval toolkit on the sample data: its results are the oracle of a test.

    git clone https://github.com/facebookresearch/SentEval /tmp/SentEval
    git -C /tmp/SentEval checkout 5d6dc117d1ac30357ddaeb7347fb5684e9b87015
    python tests/scoring/make_senteval_oracle.py /tmp/SentEval tests/scoring/senteval_oracle.json

The toolkit's own code reads the files, sorts and splits them, trains and scores. This file gives it
the vectors and adapts it to a CPU and a current Python (`_adapt`). A second run writes the same
bytes. It takes 90 seconds of processor time.
"""

import argparse
import gzip
import hashlib
import inspect
import json
import platform
import sys
import tempfile
import types
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch

COMMIT = "5d6dc117d1ac30357ddaeb7347fb5684e9b87015"
PROJECT = Path(__file__).resolve().parents[2]
SAMPLE_DATA = PROJECT / "resources" / "sample_data"
# the toolkit's names of the sets, by this project's
TASKS = {
    **{"mr": "MR", "cr": "CR", "subj": "SUBJ", "mpqa": "MPQA", "sst2": "SST2"},
    **{"trec": "TREC", "mrpc": "MRPC", "sick-e": "SICKEntailment", "sick-r": "SICKRelatedness"},
}
# the readme's two configurations and that of the notebook of CMLM's authors
CONFIGURATIONS = {
    "prototyping": (5, {"optim": "rmsprop", "batch_size": 128, "tenacity": 3, "epoch_size": 2}),
    "default": (10, {"optim": "adam", "batch_size": 64, "tenacity": 5, "epoch_size": 4}),
    "notebook": (10, {"optim": "adam", "batch_size": 16, "tenacity": 5, "epoch_size": 6}),
}
# sets by the slower configurations: one for each of the toolkit's three ways to split
SLOWER = ("cr", "trec", "sick-e")


class WordVectors:
    """The sum of the bundled static vectors of a text's words, the same bytes on every machine.

    The file has three decimals, so sums of thousandths are exact. A word without a vector is left
    out; a text without any is the zero vector.
    """

    def __init__(self) -> None:
        lines = (SAMPLE_DATA / "static-vectors" / "en.vec").read_text(encoding="utf-8").splitlines()
        rows = (line.split(" ") for line in lines[1:])
        self._rows = {word: [round(1000 * float(n)) for n in numbers] for word, *numbers in rows}
        self.width = int(lines[0].split()[1])

    def __call__(self, text: str) -> np.ndarray:
        rows = [row for word in text.lower().split() if (row := self._rows.get(word)) is not None]
        if not rows:
            return np.zeros(self.width, dtype=np.float32)
        return (np.sum(rows, axis=0) / 1000).astype(np.float32)


def _adapt(toolkit: Path) -> types.ModuleType:
    """Return the toolkit's package, made to run without CUDA and on a current Python.

    Its files stay as they are. Set from outside are `inspect.getargspec`, which Python 3.11 lacks;
    `.cuda()` of tensors and modules, which returns them unchanged; and, in the two modules that
    train, the device `cuda`, which is the CPU, and `torch.cuda.is_available`, which one asserts.
    """
    inspect.getargspec = inspect.getfullargspec
    torch.Tensor.cuda = torch.nn.Module.cuda = lambda self, *_: self
    sys.path.insert(0, str(toolkit))
    import senteval
    from senteval.tools import classifier, relatedness

    cuda = types.SimpleNamespace(**{**vars(torch.cuda), "is_available": lambda: True})
    on_cpu = {"cuda": cuda, "device": lambda _: "cpu"}
    classifier.torch = relatedness.torch = types.SimpleNamespace(**{**vars(torch), **on_cpu})
    return senteval


class Recorder:
    """What the toolkit does not return: folds, penalties and the classes of the items tested."""

    def __init__(self) -> None:
        from senteval.tools import validation

        self.folds, self.penalties, self.predictions = [], [], []
        recorder, fit, score = self, validation.MLP.fit, validation.MLP.score

        class Folds(validation.StratifiedKFold):
            def split(self, rows, labels):
                for train, test in super().split(rows, labels):
                    recorder.folds.append((len(rows), test))
                    yield train, test

        def recorded_fit(self, *arguments, **named):
            self.fits = True
            best = fit(self, *arguments, **named)
            self.fits = False
            recorder.penalties.append(self.l2reg)
            return best

        def recorded_score(self, rows, labels):
            if not self.fits:
                recorder.predictions.append(self.predict(rows)[:, 0].astype(int).tolist())
            return score(self, rows, labels)

        validation.StratifiedKFold = Folds
        validation.MLP.fit, validation.MLP.score = recorded_fit, recorded_score

    def clear(self) -> None:
        self.folds, self.penalties, self.predictions = [], [], []

    def summary(self, items: int, folds: int, kind: str) -> dict:
        """Return penalties and predictions of the last fits: one, or one for each outer fold."""
        if kind != "nested":
            found = self.predictions[-1]
            return {"penalties": self.penalties[-1:], "predictions": "".join(map(str, found))}
        outer = [test for size, test in self.folds if size == items]
        # each outer fold scores the four penalties on inner folds before its own items
        step = 4 * folds + 1
        finals, chosen = self.predictions[step - 1 :: step], self.penalties[step - 1 :: step]
        classes = np.full(items, -1)
        for test, own in zip(outer, finals, strict=True):
            classes[test] = own
        return {"penalties": chosen, "predictions": "".join(map(str, classes))}


def lay_out(folder: Path) -> None:
    """Put the sample data where the toolkit's classes look for them."""
    downstream = folder / "downstream"
    downstream.mkdir()
    (downstream / "SICK").symlink_to(SAMPLE_DATA / "sick" / "semeval2014")
    for source in sorted((SAMPLE_DATA / "senteval").rglob("*")):
        target = downstream / source.relative_to(SAMPLE_DATA / "senteval")
        if source.is_dir():
            target.mkdir()
        elif source.suffix == ".gz":
            target.with_suffix("").write_bytes(gzip.decompress(source.read_bytes()))
        else:
            target.symlink_to(source)


def run_toolkit(senteval: types.ModuleType, recorder: Recorder, folder: Path) -> dict:
    """Return by configuration and set what the toolkit returns, and what `Recorder` adds."""
    vectors, results = WordVectors(), {}

    def batcher(_, batch):
        return np.stack([vectors(" ".join(words)) for words in batch])

    for configuration, (folds, classifier) in CONFIGURATIONS.items():
        for name, task in TASKS.items():
            if configuration != "prototyping" and name not in SLOWER:
                continue
            recorder.clear()
            parameters = {"task_path": str(folder), "usepytorch": True, "kfold": folds}
            parameters["classifier"] = {"nhid": 0, **classifier}
            found = senteval.engine.SE(parameters, batcher).eval(task)
            if name == "sick-r":
                found["yhat"] = [float(f"{score:.6g}") for score in found["yhat"]]
            else:
                kind = "nested" if name in ("mr", "cr", "subj", "mpqa") else "once"
                found |= recorder.summary(found["ntest"], folds, kind)
            results[f"{configuration} {name}"] = found
            print(configuration, name, flush=True)
    return results


def input_hash() -> str:
    """Return the SHA-256 of all files that the results come from, by their order of name."""
    files = [SAMPLE_DATA / "static-vectors" / "en.vec"]
    files += [file for name in ("senteval", "sick") for file in (SAMPLE_DATA / name).rglob("*")]
    digest = hashlib.sha256()
    for file in sorted(file for file in files if file.is_file()):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("toolkit", type=Path, help="a checkout of facebookresearch/SentEval")
    parser.add_argument("output", type=Path, help="the oracle, JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    senteval = _adapt(arguments.toolkit)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        results = run_toolkit(senteval, Recorder(), Path(folder))
    packages = {name: version(name) for name in ("torch", "numpy", "scikit-learn", "scipy")}
    head = {
        "toolkit": f"facebookresearch/SentEval, commit {COMMIT}, its seed 1111",
        "made_with": {"python": platform.python_version(), **packages},
        "sha256": input_hash(),
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    rows = (
        f"  {json.dumps(key)}: {json.dumps(one, default=float)}" for key, one in results.items()
    )
    text = "\n".join(["{", *lines, ' "results": {', ",\n".join(rows), " }", "}", ""])
    arguments.output.write_text(text)


if __name__ == "__main__":
    main()
