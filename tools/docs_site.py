"""Hooks of mkdocs: README is the home page; pages of the root and linked files are in the site.

On a code host a page of docs/ links to `../config/recipes.yaml`, and CONTRIBUTING.md to
`docs/reference/config.md`. In the site both are next to the pages of docs/.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

# in an environment of its own (envs/docs.in), which the tests do not have
if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
# pages outside of docs/, by their path in the site
PAGES = {
    "index.md": "README.md",
    **{name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")},
    "reference/packages.md": "envs/README.md",
    "explanation/bundled-models.md": "bundled_models/README.md",
}
# what the theme would fetch for the search of pages on a disk, and ours
WORKER, OWN_WORKER = "https://unpkg.com/iframe-worker/shim", "assets/javascripts/site_worker.js"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")
# what a browser fetches by itself
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\ssrc=["'](?:https?:)?//[^"']*"""
    r"""|<link\b[^>]*\shref=["'](?:https?:)?//[^"']*""",
    re.IGNORECASE,
)


def site_path(page: str, link: str) -> str | None:
    """Return where the site has the target of a link, from the root of the site.

    `page` is the path of the page in the site. None for links to other hosts.
    """
    if ":" in link or link.startswith("/"):
        return None
    on_host = PAGES.get(page, f"docs/{page}")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(on_host), link))
    in_site = {path: name for name, path in PAGES.items()}
    return in_site.get(target, target.removeprefix("docs/"))


def folder_pages(folder: str, docs: Path) -> list[str]:
    """Return the pages of a folder of `docs`, in the order of their titles."""
    pages = sorted((docs / folder).glob("*.md"), key=lambda page: page.read_text("utf-8"))
    return [page.relative_to(docs).as_posix() for page in pages]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages of a folder where the navigation names the folder, such as `howto/`."""
    for entry in config.nav or []:
        for title, listed in entry.items():
            if isinstance(listed, str) and listed.endswith("/"):
                entry[title] = folder_pages(listed, Path(config.docs_dir))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs/, and the files that pages link to there."""
    from mkdocs.structure.files import File

    for name, path in PAGES.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / path)))
    worker = ROOT / "tools" / "site_worker.js"
    files.append(File.generated(config, OWN_WORKER, abs_src_path=str(worker)))
    for page in [*files.documentation_pages()]:
        for link in LINK.findall(page.content_string):
            path = site_path(page.src_uri, link)
            if path and files.get_file_from_path(path) is None and (ROOT / path).is_file():
                files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to where the site has their targets."""
    source = page.file.src_uri
    up = "../" * source.count("/")

    def turned(match: re.Match[str]) -> str:
        path = site_path(source, match[0])
        return match[0] if path is None else up + path

    return LINK.sub(turned, markdown)


def fetched_elsewhere(html: str) -> list[str]:
    """Return the elements of a page that a browser would fetch from another host."""
    return FETCHED.findall(html)


def on_post_template(output: str, template_name: str, config: MkDocsConfig) -> str:
    """Take our own script for the search in 404.html."""
    return output.replace(WORKER, f"/{OWN_WORKER}")


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take our own script for the search of a page that is opened from a disk."""
    return output.replace(WORKER, "../" * page.url.count("/") + OWN_WORKER)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site whose pages fetch anything from another host."""
    from mkdocs.exceptions import PluginError

    for page in sorted(Path(config.site_dir).rglob("*.html")):
        for element in fetched_elsewhere(page.read_text(encoding="utf-8")):
            raise PluginError(f"{page}: {element}: fetched from another host; remove it")
