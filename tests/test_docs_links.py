"""Links of the docs on a code host and in the site, and what pages fetch."""

import re
import subprocess

import pytest

from tools.docs_site import PAGES, fetched_elsewhere, site_path


def anchors_of(text):
    """Return the anchors of the headings of a page, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    words = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", one) for one in headings]
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in words}


@pytest.fixture(scope="module")
def tracked(project):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("no checkout of git")
    return set(listed.stdout.splitlines())


def test_links_lead_to_files_of_the_repository_and_to_headings(project, tracked):
    pages = [path for path in tracked if path.endswith(".md") and not path.startswith("tests/")]
    folders = {str(parent) for path in tracked for parent in (project / path).parents}
    assert "README.md" in pages and "docs/adding.md" in pages
    for page in pages:
        text = (project / page).read_text()
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:", link):
                continue
            path, _, anchor = link.partition("#")
            target = ((project / page).parent / path).resolve() if path else project / page
            known = {str(target.relative_to(project)), str(target)} & (tracked | folders)
            assert known, f"{page}: {link}"
            if anchor and target.suffix == ".md":
                assert anchor in anchors_of(target.read_text()), f"{page}: {link}"


def test_the_site_has_what_pages_link_to_outside_of_docs():
    assert site_path("cmlm.md", "../config/recipes.yaml") == "config/recipes.yaml"
    assert site_path("example-run/tables/a.md", "../../../config/x.yaml") == "config/x.yaml"
    assert site_path("cmlm.md", "../CHANGELOG.md") == "CHANGELOG.md"
    assert site_path("CONTRIBUTING.md", "docs/config.md") == "config.md"
    assert site_path("CONTRIBUTING.md", "CHANGELOG.md") == "CHANGELOG.md"
    for link in ("use.md", "example-run/README.md", "https://example.org/x", "/x"):
        assert site_path("cmlm.md", link) is None
    assert site_path("example-run/README.md", "../bundled-cmlm.md") is None


def test_every_page_is_in_the_navigation_of_the_site(project):
    listed = set(re.findall(r"\S+\.md(?=$)", (project / "mkdocs.yml").read_text(), flags=re.M))
    docs = project / "docs"
    files = [*docs.glob("*.md"), *(docs / "howto").glob("*.md")]
    pages = {str(path.relative_to(docs)) for path in files} | {*PAGES}
    assert listed == pages | {"example-run/README.md"}


def test_what_a_page_fetches_from_other_hosts_is_found():
    here = '<script src="assets/a.js"></script><link href="assets/b.css"><a href="https://x.org">'
    assert fetched_elsewhere(here) == []
    for element in (
        '<script defer src="https://x.org/a.js">',
        '<link rel="stylesheet" href="//x.org/b.css">',
        "<img alt='' src='http://x.org/c.png'>",
    ):
        assert len(fetched_elsewhere(here + element)) == 1


def test_modules_that_the_structure_names_exist(project, tracked):
    for page in ("structure.md", "extending.md"):
        text = (project / "docs" / page).read_text()
        for name in re.findall(r"`([\w/]+\.py)`", text):
            assert any(f"/{path}".endswith(f"/{name}") for path in tracked), f"{page}: {name}"
