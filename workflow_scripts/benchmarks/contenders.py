"""The ways of tuning and embedding that are compared. Standard library only."""

PLAIN, SENTENCE_TRANSFORMERS, OURS = "plain", "sentence-transformers", "mirror"
SENTENCE_TRANSFORMERS_BEST = "sentence-transformers-best"
OURS_ONNX, OURS_INT8 = "mirror-onnx", "mirror-int8"

TUNING_CONTENDERS = {
    PLAIN: "the authors' way",
    SENTENCE_TRANSFORMERS: "sentence-transformers",
    OURS: "this project",
}
EMBEDDING_CONTENDERS = {
    SENTENCE_TRANSFORMERS: "sentence-transformers, as it comes",
    SENTENCE_TRANSFORMERS_BEST: "sentence-transformers, its best batch size",
    OURS: "this project",
    OURS_ONNX: "this project, ONNX",
    OURS_INT8: "this project, ONNX int8",
}

# What each kind of string is tuned by.
TUNING_TASKS = {
    "words": "mirror-word",
    "phrases": "mirror-phrase",
    "sentences": "mirror-sentence-cls",
}
