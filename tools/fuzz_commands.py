"""The commands with damaged files and command lines, each run in the process of its case."""

import contextlib
import importlib
import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import yaml

from tests.support.fasttext_files import write_model
from tools.fuzz_limits import Case
from tools.fuzz_models import ENCODER, MODEL, files_of
from tools.fuzz_readers import PROJECT, SAMPLE_DATA
from workflow_scripts.cli import COMMANDS
from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.tune import RECIPE_FILE
from workflow_scripts.tuning.methods.register import METHODS

# a recipe of each method, as small as can be
_RECIPE = {"pooling": "mean", "embed_max_length": 16, "max_length": 16, "batch_size": 4}
_AMOUNTS: dict[str, dict[str, object]] = {"mirror": {"temperature": 0.1, "epochs": 1}}
_AMOUNTS |= {method: {"steps": 2} for method in METHODS if method not in ("none", "mirror")}
# what each method is trained on
_CORPORA = {"mirror": "sentences.txt", "bitext": "pairs.txt", "nli": "nli.txt"}
_CORPORA |= {"classify": "classes.txt"}


def command_cases(models: Mapping[str, Path], made: Path) -> dict[str, Case]:
    """Return command lines of all commands, by name."""
    files = _written_files(made)
    model, other = (files_of(models[name], name) for name in (MODEL, ENCODER))
    both = model | other
    cases: dict[str, Case] = {}

    def add(name: str, words: str, *given: str, own: Sequence[str] = ()) -> None:
        """`given`: the names of the files that are damaged, of those that the words name."""
        module, _, mode = name.partition(" ")
        line = words.split()
        mentioned = {one: files[one] for one in files if _is_named(one, line)}
        folders = {one: both[one] for one in both if one.split("/")[0] in line}
        damaged = [*mentioned, *given]
        line = [mode, *line] if module == "search" else line
        options = _options(module, [mode] if module == "search" else [])
        cases[f"command {name}"] = Case(
            _main(module), mentioned | folders, line, options, damaged or list(folders), own
        )

    config = f"{ENCODER}/config.json"
    for method in METHODS:
        if method != "none":
            corpus = _CORPORA.get(method, "text.txt")
            words = f"--model {MODEL} --corpus {corpus} --recipe {method} --recipes recipes.yaml"
            add(f"tune {method}", f"{words} --output out --threads 1 --step-log log.jsonl")
    tuned = "--output out --threads 1 --recipes recipes.yaml"
    add("cmlm", f"--model {MODEL} --text text.txt --recipe cmlm {tuned}")
    more = "--held-out 0.3 --bitext pairs.tsv --set bitext.batch_size=4 --set steps=2"
    add("cmlm more", f"--model {MODEL} --text text.txt --recipe cmlm {more} {tuned}")
    watched = "--development-set sts12 --data-root root --development-every 1 --set epochs=1"
    corpus = "--corpus sentences.txt --recipe mirror"
    add("tune watched", f"--model {MODEL} {corpus} {watched} {tuned}")
    one = f"--encoder {ENCODER} --threads 1"
    add("embed", f"--model {ENCODER} --strings sentences.txt --output v.npy --threads 1", config)
    kept = "--record r.json --remove-components 1 --shard-size 7 --overwrite"
    add("embed more", f"--model {MODEL} --pooling cls --strings words.txt --output v.npy {kept}")
    names = "--names names.tsv --mentions mentions.tsv --gold-column 2"
    add("link", f"{one} {names} --output links.tsv --errors wrong.tsv --k 2")
    add("link approximate", f"{one} {names} --index index --approximate 2 --format jsonl")
    index = {f"index/{name}": file for name, file in files_of(_make_index(models, made)).items()}
    words = f"{one} {names} --index index --approximate 2 --output links.tsv".split()
    listed = {name: files[name] for name in ("names.tsv", "mentions.tsv")}
    cases["command link index"] = Case(
        _main("link"), listed | index | other, words, _options("link", []), list(index), ["index"]
    )
    found = "--output found.tsv --record record.json"
    add("search nearest", f"{one} --strings sentences.txt --queries words.txt --k 3 {found}")
    add("search duplicates", f"{one} --strings sentences.txt --threshold 0.5 {found}")
    add("search bitext", f"{one} --strings sentences.txt --targets targets.txt --k 2 {found}")
    static = "--source-vectors en.vec --target-vectors model.bin --dictionary words.tsv"
    add("translate vectors", f"{static} --output found.tsv --neighbours 2 --k 2 --threads 1")
    words = (
        "--source-vocabulary words.txt --target-vocabulary words.txt --dictionary dictionary.tsv"
    )
    add("translate", f"{one} {words} --output found.tsv --test-share 0.3 --words words.txt")
    scored = f"--model {ENCODER} --data-root root --output scores.json --threads 1"
    for dataset in ("sts12", "askapatient", "mr", "tatoeba-es", "bli-en-fr"):
        add(f"evaluate {dataset}", f"{scored} --datasets {dataset}")
    add("evaluate card", f"{scored} --datasets sts12 --card", own=[f"{ENCODER}/README.md"])
    add("export_onnx", f"--encoder {ENCODER} --int8", own=[ENCODER])
    add("reduce", f"--model {ENCODER} --strings strings.txt --dimensions 4 --output reduced")
    add("check_config", "small.yaml")
    add("list_recipes", "--recipes small.yaml")
    # `push` reads one file alone, and only with a hub to upload to; `init` reads none
    commands = {module for module, _ in COMMANDS.values()} - {"push", "make_folder"}
    if lacking := commands - {name.split()[1] for name in cases}:
        raise LookupError(f"no command line of {', '.join(sorted(lacking))}; add one")
    return cases


def _is_named(file: str, words: Sequence[str]) -> bool:
    return file in words or (file.startswith("root/") and _of_dataset(file, words))


def _of_dataset(file: str, words: Sequence[str]) -> bool:
    parts = {"sts12": "STS12", "askapatient": "askapatient", "mr": "/MR/"}
    parts |= {"tatoeba-es": "tatoeba", "bli-en-fr": "en-fr"}
    return any(part in file for name, part in parts.items() if name in words)


def _main(name: str) -> Callable[[list[str]], object]:
    module = importlib.import_module(f"workflow_scripts.{name}")
    return lambda words: module.main(words)


def _options(module: str, mode: list[str]) -> list[str]:
    """Return the options of a command, as its help has them."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        _main(module)([*mode, "--help"])
    found = set(re.findall(r"^  (--[a-z][a-z0-9-]*)", said.getvalue(), flags=re.MULTILINE))
    return sorted(found - {"--help"})


def _make_index(models: Mapping[str, Path], made: Path) -> Path:
    """Link once, in a process of its own, so that an index is there."""
    words = ["--encoder", str(models[ENCODER]), "--names", "names.tsv", "--index", "index"]
    words += ["--mentions", "mentions.tsv", "--gold-column", "2", "--approximate", "2"]
    words += ["--output", "made.tsv", "--threads", "1"]
    if (child := os.fork()) == 0:
        os.chdir(made)
        with contextlib.suppress(BaseException):
            run_command(lambda: _main("link")(words) and None)
            os._exit(0)
        os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError("no index could be made; see above")
    return made / "index"


def _written_files(made: Path) -> dict[str, Path]:
    """Write what the command lines read, from the sample data; return it by name."""

    def lines(name: str, number: int) -> list[str]:
        return (SAMPLE_DATA / name).read_text(encoding="utf-8").splitlines()[:number]

    nli = [line.split("\t") for line in lines("nli/en.tsv", 25)][1:]
    wiki = [line.split("\t") for line in lines("wikimatrix/WikiMatrix.en-es.tsv", 24)]
    words = lines("most-common-words/estonian.txt", 20)
    static = [line.split(" ") for line in lines("static-vectors/en.vec", 401)]
    rows = [["401", "3"], *([*row[:4]] for row in static[1:]), ["cat", "1", "2", "3"]]
    recipes = {
        method: {"method": method, **_RECIPE, **_AMOUNTS[method]}
        for method in METHODS
        if method != "none"
    }
    config = read_mapping(RECIPE_FILE.parent.parent / "tests" / "workflow" / "small.yaml")
    config = yaml.safe_load(yaml.safe_dump(config).replace("resources/", f"{PROJECT}/resources/"))
    config["base"] = [str(RECIPE_FILE.parent / name) for name in config["base"]]
    terms = [line.split("\t") for line in lines("mesh-2015/terms.tsv", 40)][1:]
    known = [row[0] for row in static[1:60] if row[0].isalpha()]
    texts = {
        "sentences.txt": [row[0] for row in nli],
        "targets.txt": [row[1] for row in nli],
        "text.txt": lines("running-text/en.txt", 60),
        "pairs.txt": [f"{row[1]}||{row[2]}" for row in wiki],
        "pairs.tsv": [f"{row[1]}\t{row[2]}" for row in wiki],
        "nli.txt": ["||".join(row[:3]) for row in nli],
        "classes.txt": [f"{row[0]}||{row[2]}" for row in nli],
        "recipes.yaml": [yaml.safe_dump({"recipes": recipes}, sort_keys=False)],
        "words.txt": words,
        "dictionary.tsv": [
            f"{word}\t{other}" for word, other in zip(words, words[::-1], strict=True)
        ],
        "names.tsv": ["\t".join(row) for row in terms],
        "mentions.tsv": [f"{row[1].lower()}\t{row[0]}" for row in terms[:12]],
        "en.vec": [" ".join(row) for row in rows],
        "words.tsv": [
            f"{word}\t{other}"
            for word, other in zip(known, ["cat", "dog"] * len(known), strict=False)
        ],
        "small.yaml": [yaml.safe_dump(config, sort_keys=False)],
    }
    files = {}
    for name, body in texts.items():
        (made / name).write_text("\n".join(body) + "\n", encoding="utf-8")
        files[name] = made / name
    files["model.bin"] = write_model(made / "model.bin")
    folders = ("semeval-sts-original/STS12-en-test", "askapatient", "senteval/MR", "tatoeba-v1")
    for folder in (*folders, "bli-xling-eval/en-fr"):
        found = files_of(SAMPLE_DATA / folder, f"root/{folder}")
        files |= {
            name: file for name, file in found.items() if "tatoeba" not in name or "spa" in name
        }
    return files
