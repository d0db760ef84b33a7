"""Synthetic files have the formats and layouts of those that the papers' config fetches."""

import numpy as np
import pytest
import torch
from safetensors import safe_open
from transformers import AutoModel, AutoTokenizer

from tools.synthetic_data import make_data, write_never_published, write_synthetic_file
from tools.synthetic_models import LAYOUTS, synthetic_model
from tools.synthetic_rows import SIZES, Material
from workflow_scripts.datasets.mrconso import read_mrconso
from workflow_scripts.downloads.convert_weights import convert
from workflow_scripts.downloads.fetching import fetch
from workflow_scripts.downloads.mirrors import open_mirror
from workflow_scripts.downloads.model_files import check_model_files
from workflow_scripts.downloads.registry import read_registry
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.static_vectors import read_word_vectors
from workflow_scripts.embedding.string_encoding import encode_strings

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SMALL = Material(None, SIZES["small"])
# one of each form: files, a zip, a gz, one kept gzipped, and one that is put there by hand
SETS = ["sick", "sts13", "askapatient", "fasttext-et", "glove-840b", "medic", "russian-sts", "umls"]


def save(repository, folder):
    folder.mkdir()
    for name, body in repository.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(body)
    return folder


def test_every_model_of_the_papers_config_has_a_layout_or_the_usual_one(paper_config):
    of_hub = {model["hub"] for model in paper_config["models"].values() if "hub" in model}
    assert of_hub >= LAYOUTS.keys()


@pytest.mark.parametrize(
    ("hub", "kind"),
    [
        ("google-bert/bert-base-uncased", "BertModel"),
        ("almanach/camembert-base", "CamembertModel"),
        ("FacebookAI/roberta-base", "RobertaModel"),
        ("FacebookAI/xlm-roberta-large", "XLMRobertaModel"),
        ("tartuNLP/EstBERT", "BertModel"),
    ],
)
def test_a_synthetic_files_loads_as_its_architecture_and_tells_words_apart(hub, kind, tmp_path):
    folder = save(synthetic_model(hub, COMMIT), tmp_path / "model")
    check_model_files(folder, hub)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    assert type(model).__name__ == kind
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    one, other = (tokenizer(text, return_tensors="pt") for text in ("a house", "the river"))
    with torch.no_grad():
        states = [model(**ids).last_hidden_state[0, 0] for ids in (one, other)]
    assert not torch.allclose(*states)


def test_a_synthetic_xlnet_is_pickled_and_tells_words_apart(tmp_path):
    folder = save(synthetic_model("xlnet/xlnet-base-cased", COMMIT), tmp_path / "model")
    convert(folder)
    loaded = load_model(str(folder))
    assert loaded.model.config.model_type == "xlnet"
    vectors = encode_strings(loaded, ["a house", "the river"], EncoderSettings("mean", 20))
    assert not np.allclose(*vectors)


def test_synthetic_glove_is_read_as_glove(tmp_path):
    path = tmp_path / "glove.840B.300d.txt"
    write_synthetic_file(SMALL, "glove/glove.840B.300d.txt", path)
    found = read_word_vectors(path, {"the", "dog"})
    assert (found.words, len(found.mean)) == (SMALL.sizes.words + 2, SMALL.sizes.dimension)
    assert found.known


def test_a_synthetic_files_is_the_same_each_time():
    first, second = (synthetic_model("FacebookAI/roberta-base", COMMIT) for _ in range(2))
    assert first.files == second.files


def test_weights_have_the_names_and_files_of_the_repository(tmp_path):
    google = save(synthetic_model("google-bert/bert-base-uncased", COMMIT), tmp_path / "google")
    with safe_open(google / "model.safetensors", "pt") as file:
        names = set(file.keys())
    assert "bert.embeddings.LayerNorm.gamma" in names
    assert not any(name.endswith("LayerNorm.weight") for name in names)
    sharded = synthetic_model("FacebookAI/xlm-roberta-large", COMMIT).files
    assert "model.safetensors.index.json" in sharded and "model.safetensors" not in sharded
    pickled = save(synthetic_model("dbmdz/bert-base-turkish-uncased", COMMIT), tmp_path / "pickled")
    assert not list(pickled.glob("*.safetensors"))
    assert torch.load(pickled / "pytorch_model.bin", weights_only=True)


def test_synthetic_files_for_data_are_fetched_from_the_mirror_by_the_registry_made_for_them(
    project, tmp_path
):
    registry, mirror, root = tmp_path / "registry.yaml", tmp_path / "mirror", tmp_path / "data"
    registry.write_bytes((project / "config/registry.yaml").read_bytes())
    make_data(registry, SETS, SMALL, mirror, root)
    entries = read_registry(registry)
    for name in SETS[:-1]:
        records = fetch(entries[name], root, open_mirror(str(mirror)), offline=True)
        assert {record["path"] for record in records} == {f.path for f in entries[name].all_files}
    # the mirror has archives alone; their files come from unpacking them
    archives = {"cc.et.300.bin.gz", "datasets.zip", "glove.840B.300d.zip"}
    archives.add("STS2012_MSRvid_translated.tar.gz")
    assert {file.name for file in (mirror / "archives").iterdir()} == archives
    assert not (mirror / "fasttext").exists()
    names = list(read_mrconso(root / "umls/MRCONSO.RRF", "ENG", None, ["N"]))
    assert 0.8 < len(names) / SMALL.sizes.names < 1


def test_files_of_a_data_root_go_before_what_is_made(project, tmp_path):
    own = tmp_path / "own" / "most-common-words" / "spanish.txt"
    own.parent.mkdir(parents=True)
    own.write_text("uno\n")
    material = SMALL._replace(data=tmp_path / "own")
    for name, lines in (("spanish", 1), ("french", SMALL.sizes.rows)):
        write_synthetic_file(material, f"most-common-words/{name}.txt", tmp_path / name)
        assert len((tmp_path / name).read_text().splitlines()) == lines


@pytest.mark.parametrize(
    "path", ["bel-dictionaries/CTD_chemicals.tsv.gz", "snli/snli_1.0_train.jsonl"]
)
def test_what_is_made_is_the_same_each_time(path, tmp_path):
    for name in ("one", "two"):
        write_synthetic_file(SMALL, path, tmp_path / name / path)
    first, second = ((tmp_path / name / path).read_bytes() for name in ("one", "two"))
    assert first == second


def test_xeval_is_text_of_utf_8_without_packed_files(tmp_path):
    write_never_published(tmp_path)
    files = [file for file in (tmp_path / "xeval").rglob("*") if file.is_file()]
    assert len(files) == 15 * 18
    for file in files:
        file.read_text(encoding="utf-8")
