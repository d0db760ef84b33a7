"""Faults of data and files: one clear line, nothing half-written, and the mended run succeeds."""

import hashlib
import io
import shutil
import tarfile

import numpy as np
import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]

UNTUNED = "bert-en-mini/base-mp/none/seed0"


def error_of(small, *options):
    """Return the one error line of a run that fails, and what it printed besides."""
    result = small.run(*options)
    output = result.stdout + result.stderr
    assert result.returncode != 0, output
    assert "Traceback" not in output
    errors = [line for line in output.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, output
    results = small.folder / "results"
    assert not [file for file in results.rglob(".*") if file.suffix in (".tmp", ".old")]
    return errors[0], output


def succeeds(small, *options):
    result = small.run(*options)
    assert result.returncode == 0, result.stdout + result.stderr


# ---- downloads -----------------------------------------------------------------------------------


RECORD = "results/downloads/a-set.json"
WHOLE = b"one\ttwo\t3.5\n" * 50


def known(body):
    return {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body), "verified": True}


@pytest.fixture
def downloading(fresh, tmp_path):
    """A project with a data root of its own; `offer` writes its registry, of files of `server`."""
    config = fresh.read_config()
    config["data"].update(root="raw", missing="skip")
    fresh.write_config(config)
    fresh.server = tmp_path / "server"
    fresh.server.mkdir()

    def offer(**files):
        entry = {
            **{"title": "A set", "task": "similarity", "languages": ["en"], "licence": "CC0"},
            **{"citation": "Nobody 2021", "homepage": "https://example.org", "gated": False},
            "base": f"{fresh.server.as_uri()}/",
            **files,
        }
        registry = fresh.folder / "config" / "registry.yaml"
        registry.write_text(yaml.safe_dump({"a-set": entry}), encoding="utf-8")

    fresh.offer = offer
    return fresh


def files_of_root(small):
    root = small.folder / "raw"
    return sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (WHOLE[:100], f"pairs.tsv: 100 bytes, expected {len(WHOLE)}"),
        (WHOLE.replace(b"3.5", b"3.6"), "pairs.tsv: sha256 is "),
    ],
    ids=["truncated", "wrong checksum"],
)
def test_a_download_of_wrong_bytes(downloading, sent, message):
    downloading.offer(files=[{"path": "set/pairs.tsv", "url": "pairs.tsv", **known(WHOLE)}])
    source = downloading.server / "pairs.tsv"
    source.write_bytes(sent)
    error, _ = error_of(downloading, RECORD)
    assert message in error
    assert "run again" in error
    assert not (downloading.folder / RECORD).exists()
    assert files_of_root(downloading) == []
    source.write_bytes(WHOLE)
    succeeds(downloading, RECORD)
    assert (downloading.folder / "raw/set/pairs.tsv").read_bytes() == WHOLE


def pack(path, **members):
    with tarfile.open(path, "w:gz") as archive:
        for name, body in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return path.read_bytes()


def test_an_archive_whose_paths_lead_out_of_it(downloading):
    source = downloading.server / "set.tar.gz"

    def offer(body):
        member = {"member": "set/pairs.tsv", "path": "set/pairs.tsv", **known(WHOLE)}
        archive = {"url": "set.tar.gz", **known(body), "members": [member]}
        downloading.offer(archives=[archive])

    offer(pack(source, **{"set/pairs.tsv": WHOLE, "../../outside.txt": b"x"}))
    error, _ = error_of(downloading, RECORD)
    assert "'../../outside.txt', which leads out of its folder; nothing was unpacked" in error
    assert not list(downloading.folder.parent.rglob("outside.txt"))
    assert files_of_root(downloading) == []
    assert not (downloading.folder / RECORD).exists()
    offer(pack(source, **{"set/pairs.tsv": WHOLE}))
    succeeds(downloading, RECORD)
    assert files_of_root(downloading) == ["set/pairs.tsv"]


# ---- data sets -----------------------------------------------------------------------------------


def linking_cells(small):
    """Return the values of the table `linking` by column, as its tsv has them."""
    header, row = (
        line.split("\t")
        for line in (small.folder / "results/tables/linking.tsv").read_text().splitlines()
    )
    return dict(zip(header, row, strict=True))


def test_a_missing_gated_set(workspace):
    config = workspace.read_config()
    column = {"id": "cometa@1", "label": "COMETA", "dataset": "cometa"}
    config["tables"]["linking"]["columns"].append(column)
    config["tables"]["linking"]["reference"] = "table02"
    workspace.write_config(config)
    there, away = workspace.folder / "resources/sampler/cometa", workspace.folder / "cometa"
    shutil.move(there, away)
    error, output = error_of(workspace, "all_tables")
    assert "cometa/splits/stratified_general/test.csv: no such file" in error
    assert "given out on request at https://github.com/cambridgeltl/cometa" in error
    assert "data.missing: skip" in error
    assert "Select jobs" not in output

    config["data"]["missing"] = "skip"
    workspace.write_config(config)
    succeeds(workspace, "all_tables")
    reason = "data set cometa: test.csv is not in the data root"
    for page in ("linking.md", "scorecard.md"):
        assert reason in (workspace.folder / "results/tables" / page).read_text()
    assert linking_cells(workspace)["AskAPatient"]
    assert not linking_cells(workspace)["COMETA"]

    shutil.move(away, there)
    config["data"]["missing"] = "error"
    workspace.write_config(config)
    succeeds(workspace, "all_tables")
    assert linking_cells(workspace)["COMETA"]


def test_a_data_set_without_gold(workspace):
    files = workspace.folder.glob("resources/sampler/semeval-sts-original/STS12-en-test/STS.gs.*")
    whole = {file: file.read_bytes() for file in files}
    assert whole
    for file, body in whole.items():
        file.write_bytes(b"\n" * body.count(b"\n"))
    target = "results/datasets/sts-en/items.json"
    error, _ = error_of(workspace, target)
    assert "data set 'sts12': no pair with a gold score" in error
    assert not (workspace.folder / target).exists()
    for file, body in whole.items():
        file.write_bytes(body)
    succeeds(workspace, target)


def test_an_id_that_is_there_twice(workspace):
    file = workspace.folder / "resources/sampler/multi-simlex/translation.csv"
    whole = file.read_bytes()
    header, first, second, *rest = whole.split(b"\n")
    identity = first.split(b",")[0]
    again = b",".join([identity, *second.split(b",")[1:]])
    file.write_bytes(b"\n".join([header, first, again, *rest]))
    target = "results/datasets/words-en/items.json"
    error, _ = error_of(workspace, target)
    assert f"translation.csv:3: ID {identity.decode()!r} occurs twice; remove one row" in error
    assert not (workspace.folder / target).exists()
    file.write_bytes(whole)
    succeeds(workspace, target)


# ---- vectors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suite", "target"),
    [
        ("sts-en", f"results/scores/{UNTUNED}/sts-en.tsv"),
        ("bel", f"results/retrieval/{UNTUNED}/bel.tsv"),
    ],
    ids=["scoring", "linking"],
)
def test_a_vector_that_is_not_a_number(workspace, suite, target):
    file = workspace.folder / f"results/embeddings/{UNTUNED}/{suite}.npy"
    whole, before = file.read_bytes(), (workspace.folder / target).read_bytes()
    vectors = np.load(file)
    vectors[7, 3] = np.nan
    np.save(file, vectors)
    error, _ = error_of(workspace, target)
    assert "the vector of string 7 holds NaN" in error
    assert "tune it again with a lower learning rate" in error
    assert not (workspace.folder / target).exists()
    file.write_bytes(whole)
    succeeds(workspace, target)
    assert (workspace.folder / target).read_bytes() == before
