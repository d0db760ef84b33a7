"""Entries of registries for tests, and what is below a folder."""

import hashlib


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def known(body):
    """The keys of a registry that describe the bytes of a file."""
    return {"sha256": sha256(body), "size": len(body), "verified": True}


ENTRY = {"title": "A set", "task": "similarity", "languages": ["en"], "licence": "CC0"}
ENTRY |= {"citation": "Nobody 2021", "homepage": "https://example.org", "gated": False}


def files_below(folder):
    """Every file below a folder, by its path relative to it."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
