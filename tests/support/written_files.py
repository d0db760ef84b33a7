"""Small files that tests write."""

import gzip


def write(path, text):
    """Write text or bytes, gzipped if the name ends in `.gz`, into a folder that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)
    return path


def write_all(folder, files):
    for name, text in files.items():
        write(folder / name, text)
