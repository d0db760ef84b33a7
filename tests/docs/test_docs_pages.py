"""Pages of the docs: links on a code host and in the site, prose, and what a browser fetches."""

import re
import subprocess

import pytest
from doc_pages import written_pages

from tools.check_prose import code_findings, findings, read_phrases
from tools.docs_site import PAGES, fetched_elsewhere, folder_pages, site_path


def anchors_of(text):
    """Return the anchors of the headings of a page, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    words = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", word.lower()).replace(" ", "-") for word in words}


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
    return {path for path in listed.stdout.splitlines() if (project / path).exists()}


def test_links_lead_to_files_of_the_repository_and_to_headings(project, tracked):
    pages = [path for path in tracked if path.endswith(".md") and not path.startswith("tests/")]
    folders = {str(parent) for path in tracked for parent in (project / path).parents}
    assert "README.md" in pages and "docs/howto/extend-the-tables.md" in pages
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


def test_pages_that_messages_and_comments_name_exist(project, tracked):
    """In code, configs and rules; not in the change log, which describes the past."""
    endings = (".py", ".smk", ".yaml", ".toml", ".in", "Makefile", "Snakefile", ".md")
    for path in tracked:
        if path.endswith(endings) and not path.startswith(("tests/", "CHANGELOG")):
            for name in re.findall(r"\bdocs/[\w/-]+\.(?:md|tsv)\b", (project / path).read_text()):
                assert (project / name).exists(), f"{path}: {name}"


def test_the_site_has_what_pages_link_to_outside_of_docs():
    page = "explanation/decisions.md"
    assert site_path(page, "../../config/recipes.yaml") == "config/recipes.yaml"
    assert site_path(page, "../../CHANGELOG.md") == "CHANGELOG.md"
    assert site_path(page, "../../README.md") == "index.md"
    assert site_path(page, "../reference/config.md") == "reference/config.md"
    assert site_path("example-run/tables/a.md", "../../../config/x.yaml") == "config/x.yaml"
    assert site_path("CONTRIBUTING.md", "docs/reference/config.md") == "reference/config.md"
    assert site_path("index.md", "docs/reference/config.md") == "reference/config.md"
    assert site_path("reference/packages.md", "../docs/images/x.svg") == "images/x.svg"
    for link in ("https://example.org/x", "/x"):
        assert site_path(page, link) is None


def test_every_page_is_in_the_navigation_of_the_site(project):
    docs = project / "docs"
    navigation = (project / "mkdocs.yml").read_text().split("\nnav:")[1]
    listed = set(re.findall(r"\S+\.md(?=$)", navigation, flags=re.M))
    for folder in re.findall(r"\S+/(?=$)", navigation, flags=re.M):
        listed |= set(folder_pages(folder, docs))
    written = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    shown = {page for page in written if not re.match(r"example-run/(tables|figures)/", page)}
    assert listed == shown | {*PAGES}


def test_what_a_page_fetches_from_other_hosts_is_found():
    here = '<script src="assets/a.js"></script><link href="assets/b.css"><a href="https://x.org">'
    assert fetched_elsewhere(here) == []
    for element in (
        '<script defer src="https://x.org/a.js">',
        '<link rel="stylesheet" href="//x.org/b.css">',
        "<img alt='' src='http://x.org/c.png'>",
    ):
        assert len(fetched_elsewhere(here + element)) == 1


def test_modules_that_pages_name_exist(project, tracked):
    for page in ("docs/explanation/how-it-works.md", "CONTRIBUTING.md"):
        text = (project / page).read_text()
        # the plugins that CONTRIBUTING.md adds
        for name in set(re.findall(r"`([a-z_/]+\.py)`", text)) - {
            "corpora/kinds/questions.py",
            "datasets/formats/my_pairs.py",
            "scoring/metrics/kendall.py",
            "scoring/tasks/dot_similarity.py",
        }:
            assert any(f"/{path}".endswith(f"/{name}") for path in tracked), f"{page}: {name}"


def test_the_docs_stay_short(project):
    """Twenty pages by hand and 20,000 words, those of the root included."""
    pages = written_pages(project)
    measured = re.compile(r"<!-- measured: .*?<!-- end -->", re.S)
    words = {page: len(measured.sub("", text).split()) for page, text in pages.items()}
    del words["CHANGELOG.md"]
    total = sum(words.values())
    assert total <= 20_000, f"{total} words, 20,000 at most: shorten one of {words}"
    assert len([page for page in pages if page.startswith("docs/")]) <= 20
    assert len((project / "README.md").read_text().splitlines()) <= 80


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("It lies over the default.", "lies over"),
        ("He **is\ntold** so.", "is told"),
        (f"{'word ' * 50}.", "50 words"),
        (f"- {'word ' * 20}\n- {'word ' * 20}\n\n{'word ' * 20}.", None),
        ("`lies over`\n\n```sh\nlies over\n```\n", None),
        ("It overrides the default. It is told apart.", "is told"),
    ],
)
def test_phrases_and_long_sentences_are_seen(text, problem):
    problems = [found for _, found in findings(text, read_phrases())]
    if problem is None:
        assert problems == []
    else:
        assert len(problems) == 1 and problem in problems[0]


CODE = """def f():
    '''Add it.

    It lies over `what is told`.
    '''
    text = "is told"
    # a constant in the
    # place of a value
    return text  # mended
"""


def test_phrases_in_comments_and_docstrings_are_seen_with_their_line():
    problems = sorted(code_findings(CODE, read_phrases()))
    assert [(line, problem.split("'")[1]) for line, problem in problems] == [
        (4, "lies over"),
        (7, "in the place of"),
        (9, "mended"),
    ]


def test_of_rule_files_the_comments_are_read():
    rules = (
        '# what it lies over\nrule mend:\n    """It lies over it."""\n    input:\n        "mend",\n'
    )
    assert [line for line, _ in code_findings(rules, read_phrases(), is_python=False)] == [1]
