"""Files of running text as tests compare them."""

from workflow_scripts.corpora.text_readers import read_documents


def read_paragraphs(reader, path, columns=()):
    """Return the paragraphs of a file, of one document after the other."""
    return [line for document in read_documents(reader, path, columns) for line in document]
