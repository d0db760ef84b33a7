"""The ways of tuning and embedding that are compared. Standard library only."""

PLAIN, SENTENCE_TRANSFORMERS, OURS = "plain", "sentence-transformers", "mirror"

TUNING_CONTENDERS = {
    PLAIN: "the authors' way",
    SENTENCE_TRANSFORMERS: "sentence-transformers' trainer",
    OURS: "this project",
}
