"""Hooks of mkdocs: pages of the root, and files that pages link to, are part of the site.

On a code host a page of docs/ links to `../config/recipes.yaml`, and CONTRIBUTING.md to
`docs/config.md`. In the site both lie beside the pages of docs/.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

# in an environment of its own (envs/docs.in), which tests have not
if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md")
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")
# what a browser fetches by itself
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\ssrc=["'](?:https?:)?//[^"']*"""
    r"""|<link\b[^>]*\shref=["'](?:https?:)?//[^"']*""",
    re.IGNORECASE,
)


def site_path(page: str, link: str) -> str | None:
    """Return where the site has what a page links to outside of docs/, from the root of the site.

    `page` is the path of the page in the site. None for links within docs/ and to other hosts.
    """
    if ":" in link or link.startswith("/"):
        return None
    on_host = PurePosixPath("" if page in PAGES else "docs", page)
    parts: list[str] = []
    for part in (on_host.parent / link).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    if page not in PAGES and parts[0] == "docs":
        return None
    return "/".join(parts[1:] if parts[0] == "docs" else parts)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root, and the files that pages link to outside of docs/."""
    from mkdocs.structure.files import File

    for page in PAGES:
        files.append(File.generated(config, page, abs_src_path=str(ROOT / page)))
    for page in [*files.documentation_pages()]:
        for link in LINK.findall(page.content_string):
            path = site_path(page.src_uri, link)
            if path and files.get_file_from_path(path) is None and (ROOT / path).is_file():
                files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links out of docs/ to where the site has the file."""
    source = page.file.src_uri
    up = "../" * source.count("/")

    def turned(match: re.Match[str]) -> str:
        path = site_path(source, match[0])
        return match[0] if path is None else up + path

    return LINK.sub(turned, markdown)


def fetched_elsewhere(html: str) -> list[str]:
    """Return the elements of a page that a browser would fetch from another host."""
    return FETCHED.findall(html)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site whose pages ask other hosts."""
    from mkdocs.exceptions import PluginError

    for page in sorted(Path(config.site_dir).rglob("*.html")):
        for element in fetched_elsewhere(page.read_text(encoding="utf-8")):
            raise PluginError(f"{page}: {element}: fetched from another host; remove it")
