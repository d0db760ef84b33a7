"""The tables of the paper of Mirror-BERT as its text prints them: headers, columns and rows."""

from printed_tables import Printed

LANGUAGES = ["en", "fr", "et", "ar", "zh", "ru", "es", "pl", "avg"]
STS = ["sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr", "avg"]
STS_LABELS = "STS12 STS13 STS14 STS15 STS16 STS-b SICK-R avg."
WORD_PAIRS = ["en-fr", "en-zh", "en-he", "fr-zh", "fr-he", "zh-he", "avg"]
LEXICON_PAIRS = ["en-fr", "en-it", "en-ru", "en-tr", "it-fr", "ru-fr", "avg"]
LINKING_SETS = ["ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "askapatient", "cometa"]
LINKING = [f"{dataset}@{k}" for dataset in LINKING_SETS for k in (1, 5)]
LEVELS = ["word", "phrase", "sentence"]
MONOLINGUAL_AND_MULTILINGUAL = [
    ("BERT-CLS", "bert-cls"),
    ("BERT-mp", "bert-mp"),
    ("+ Mirror", "bert-mirror"),
    ("mBERT-CLS", "mbert-cls"),
    ("mBERT-mp", "mbert-mp"),
    ("+ Mirror", "mbert-mirror"),
]

RHO = "ρ𝜌\\rho"

PRINTED = {
    "table01": Printed(
        ["lang.\\rightarrow en fr et ar zh ru es pl avg."],
        LANGUAGES,
        [
            ("fastText", "fasttext"),
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("mBERT", "mbert-mp"),
            ("+ Mirror", "mbert-mirror"),
        ],
    ),
    "table02": Printed(
        [
            "scientific language social media language",
            "dataset\\rightarrow model\\downarrow NCBI BC5-d BC5-c AskAPatient COMETA",
            " ".join(["@1@1@1 @5@5@5"] * 5),
        ],
        LINKING,
        [
            ("SapBERT", "sapbert"),
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("PubMedBERT", "pubmedbert-mp"),
            ("+ Mirror", "pubmedbert-mirror"),
        ],
    ),
    "table03": Printed(
        [f"model\\downarrow, dataset\\rightarrow {STS_LABELS}"],
        STS,
        [
            ("SBERT*", "sbert"),
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (drophead)", "bert-mirror-drophead"),
            ("RoBERTa-CLS", "roberta-cls"),
            ("RoBERTa-mp", "roberta-mp"),
            ("+ Mirror", "roberta-mirror"),
            ("+ Mirror (drophead)", "roberta-mirror-drophead"),
        ],
    ),
    "table04": Printed(
        ["model\\downarrow, lang.\\rightarrow es ar ru avg."],
        ["es", "ar", "ru", "avg"],
        [
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("mBERT", "mbert-mp"),
            ("+ Mirror", "mbert-mirror"),
        ],
    ),
    "table05": Printed(
        ["lang.\\rightarrow en-fr en-zh en-he fr-zh fr-he zh-he avg."],
        WORD_PAIRS,
        [("mBERT", "mbert-mp"), ("+ Mirror", "mbert-mirror")],
    ),
    "table06": Printed(
        ["lang.\\rightarrow en-fr en-it en-ru en-tr it-fr ru-fr avg."],
        LEXICON_PAIRS,
        [("BERT", "bert-mp"), ("+ Mirror", "bert-mirror")],
    ),
    "table07": Printed(
        [f"model configuration avg. {RHO}"],
        ["avg", "change"],
        [
            ("RoBERTa + Mirror", "roberta-mirror"),
            ("- dropout + drophead", "roberta-mirror-drophead"),
            ("- dropout", "roberta-no-dropout"),
            ("- span mask", "roberta-no-masking"),
            ("- dropout & span mask", "roberta-no-augmentation"),
        ],
    ),
    "table08": Printed(
        [f"model configuration (MLM=RoBERTa) {RHO} on STS12"],
        ["sts12", "change"],
        [
            ("random span masking ✗; dropout ✗", "roberta-no-augmentation"),
            ("random span masking ✗; dropout ✓", "roberta-no-masking"),
            ("random span masking ✗; controlled dropout ✓", "roberta-controlled-dropout"),
        ],
    ),
    "table09": Printed(
        ["level\\rightarrow word phrase sentence"],
        LEVELS,
        [
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (w/o aug.)", "bert-no-augmentation"),
        ],
    ),
    "table10": Printed(
        [f"model {RHO}"],
        ["en"],
        [
            ("fastText", "fasttext"),
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (random string)", "random-strings"),
            ("+ Mirror (random string, lr 5e-5)", "random-strings-lr"),
        ],
    ),
    "table12": Printed(
        ["dropout rate\\rightarrow 0.05 0.1 0.2 0.3 0.4"],
        ["0.05", "0.1", "0.2", "0.3", "0.4"],
        [("BERT + Mirror", "bert-mirror"), ("RoBERTa + Mirror", "roberta-mirror")],
    ),
    "table13": Printed(
        ["random span mask rate\\rightarrow 2 5 10 15 20"],
        ["2", "5", "10", "15", "20"],
        [("BERT + Mirror", "bert-mirror"), ("RoBERTa + Mirror", "roberta-mirror")],
    ),
    "table14": Printed(
        [
            "level\\rightarrow model\\downarrow word phrase sentence",
            "MVN IS MVN IS MVN IS",
        ],
        [f"{level}-{measure}" for level in LEVELS for measure in ("mvn", "is")],
        [
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (w/o aug.)", "bert-no-augmentation"),
        ],
    ),
    "table16": Printed(
        ["language\\rightarrow en fr et ar zh ru es pl avg."],
        LANGUAGES,
        [
            ("fastText", "fasttext"),
            *MONOLINGUAL_AND_MULTILINGUAL,
        ],
    ),
    "table17": Printed(
        ["model\\downarrow, lang.\\rightarrow es ar ru avg."],
        ["es", "ar", "ru", "avg"],
        MONOLINGUAL_AND_MULTILINGUAL,
    ),
    "table18": Printed(
        ["lang.\\rightarrow en-fr en-zh en-he fr-zh fr-he zh-he avg."],
        WORD_PAIRS,
        [("mBERT-CLS", "mbert-cls"), ("mBERT-mp", "mbert-mp"), ("+ Mirror", "mbert-mirror")],
    ),
    "table19": Printed(
        ["lang.\\rightarrow en-fr en-it en-ru en-tr it-fr ru-fr avg."],
        LEXICON_PAIRS,
        [("BERT-CLS", "bert-cls"), ("BERT-mp", "bert-mp"), ("+ Mirror", "bert-mirror")],
    ),
    "table20": Printed(
        [f"model configuration\\downarrow, dataset\\rightarrow {STS_LABELS}"],
        [*STS, "change"],
        [
            ("BERT + Mirror", "bert-mirror"),
            ("- dropout", "bert-no-dropout"),
            ("- random span masking", "bert-no-masking"),
            ("- dropout & random span masking", "bert-no-augmentation"),
            ("RoBERTa + Mirror", "roberta-mirror"),
            ("- dropout", "roberta-no-dropout"),
            ("- random span masking", "roberta-no-masking"),
            ("- dropout & random span masking", "roberta-no-augmentation"),
        ],
    ),
}

GRID = {
    "learning_rate": "learning rate",
    "batch_size": "batch size",
    "epochs": "training epochs",
    "temperature": "τ𝜏\\tau in Equation 1",
}
CHOSEN = [f"chosen-{level}" for level in LEVELS]
