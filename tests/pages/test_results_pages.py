"""The results pages in a real browser: what a click does, and how they look on any screen."""

import shutil
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from made_results import HOSTILE

from workflow_scripts.tables.render import status_script

pytestmark = pytest.mark.browser

SIZES = [(1300, "light"), (1300, "dark"), (400, "light"), (400, "dark")]
# of the first table, what is seen of a column, or of the heads of its rows
ROWS = (
    "return [...one('table').querySelectorAll('tbody tr')].filter((row) => row.checkVisibility())"
)
COLUMN = f"{ROWS}.map((row) => row.cells[arguments[0]].querySelector('button').textContent.trim())"
LABELS = f"{ROWS}.map((row) => row.cells[0].firstChild.textContent.trim())"


# what a run that failed leaves: these pages show older values, and why
OLDER = ("tables/index", "tables/table01", "tables/scores", "figures/figure04")
STATUS = {
    "pages": {page: {"state": "failed", "why": f"It failed {HOSTILE}"} for page in OLDER},
    "titles": {page: f"{page} {HOSTILE}" for page in OLDER},
    "command": f"snakemake all_tables --config 'a={HOSTILE}'",
    "failed": [f"tune_encoder: {HOSTILE}"],
}


@pytest.fixture(scope="session")
def stale(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The made-up results after a run that failed."""
    results = tmp_path_factory.mktemp("stale") / "results"
    shutil.copytree(made, results)
    (results / "tables/status.js").write_text(status_script(STATUS), encoding="utf-8")
    return results


def pages(results: Path) -> list[Path]:
    found = (
        page for section in ("tables", "figures") for page in (results / section).glob("*.html")
    )
    return sorted(found)


def click_head(browser, label):
    heads = "[...one('table').tHead.rows[0].cells]"
    found = f"{heads}.find((head) => head.innerText.startsWith(arguments[0]))"
    browser.run(f"{found}.querySelector('button').click()", label)


def test_no_page_says_anything_on_the_console_or_asks_the_network(browser, results):
    for page in pages(results):
        browser.open(page)
        entries = "return performance.getEntriesByType('resource').map((one) => one.name)"
        assert all(name.startswith("file://") for name in browser.run(entries)), page
        assert browser.console() == [], page


def test_every_link_and_picture_is_there(browser, results):
    for page in pages(results):
        browser.open(page)
        # the table of models names those of the hub, for who has a network
        script = "return all('[href]:not(a[href^=\"https:\"]), [src]')"
        script += ".map((one) => one.href || one.src)"
        ids = set(browser.run("return all('[id]').map((one) => one.id)"))
        for address in browser.run(script):
            parts = urlsplit(address)
            file = Path(unquote(parts.path))
            assert parts.scheme == "file" and file.is_file(), (page, address)
            assert not parts.fragment or file != page or parts.fragment in ids, (page, address)


def check_look(browser, axe, page, width, scheme):
    browser.open(page, width, 800, scheme)
    assert browser.run("return document.documentElement.scrollWidth") <= width, page
    browser.run(axe)
    found = browser.driver.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']})"
        ".then((found) => arguments[arguments.length - 1](found.violations))"
    )
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    told = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in serious]
    assert not told, page


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_no_page_scrolls_sideways_and_axe_finds_nothing_serious(
    browser, results, axe, width, scheme
):
    for page in pages(results):
        check_look(browser, axe, page, width, scheme)


@pytest.mark.parametrize("width", [1300, 400])
def test_a_first_picture_is_on_the_first_screen_and_its_texts_are_large_enough(
    browser, results, width
):
    browser.open(results / "tables/index.html", width)
    assert browser.run("return one('svg[role=img]').getBoundingClientRect().bottom") <= 900
    boxes = "return all('svg[role=img] text').map((one) => one.getBoundingClientRect())"
    texts = browser.run(f"{boxes}.map((box) => [box.left, box.right, box.height])")
    assert all(left >= 0 and right <= width and height >= 12 for left, right, height in texts)
    assert texts


def test_a_click_sorts_and_a_third_one_undoes_it(browser, made):
    browser.open(made / "tables/table01.html")
    browser.run("one('#published').click()")
    before = browser.run(COLUMN, 2)
    known = sorted((float(value) for value in before if value != "–"), reverse=True)
    assert known != [float(value) for value in before if value != "–"]
    click_head(browser, "fr")
    # what has no value is last, whichever way
    after = browser.run(COLUMN, 2)
    assert [*map(float, after[:-1])] == known and after[-1] == "–"
    sort = "return one('[aria-sort]').getAttribute('aria-sort')"
    assert browser.run(sort) == "descending"
    click_head(browser, "fr")
    after = browser.run(COLUMN, 2)
    assert [*map(float, after[:-1])] == known[::-1] and after[-1] == "–"
    click_head(browser, "fr")
    assert browser.run(COLUMN, 2) == before
    assert browser.run("return one('[aria-sort]')") is None


def test_texts_sort_by_the_alphabet_and_totals_stay(browser, made):
    browser.open(made / "tables/scorecard.html")
    labels = browser.run(LABELS)
    assert labels[-1] == "Total"
    click_head(browser, "Table or figure")
    assert browser.run(LABELS) == [*sorted(labels[:-1], key=str.casefold), "Total"]


def test_the_filter_leaves_the_rows_of_a_model(browser, made):
    browser.open(made / "tables/table01.html")
    choose = "const s = one('#model'); s.value = arguments[0];"
    choose += "s.dispatchEvent(new Event('change'))"
    options = browser.run("return [...one('#model').options].map((o) => o.value)")
    assert options == ["", "bert-en", "mbert"]
    assert len(browser.run(LABELS)) == 4
    browser.run(choose, "mbert")
    assert browser.run(LABELS) == ["mbert", f"+ Mirror {HOSTILE}"]
    # what the scores were measured on has no models and stays
    notes = "return all('.fold tbody tr:not([hidden])').length"
    assert browser.run(notes) == 3
    browser.run(choose, "")
    assert len(browser.run(LABELS)) == 4


@pytest.mark.parametrize(
    ("box", "shown", "is_on"),
    [("intervals", ".interval", True), ("published", "td .paper", False)],
)
def test_switches_hide_intervals_and_published_values(browser, made, box, shown, is_on):
    browser.open(made / "tables/table01.html")
    count = "return all(arguments[0]).filter((one) => one.checkVisibility()).length"
    counts = []
    for _ in range(3):
        counts.append(browser.run(count, shown))
        browser.run("one('#' + arguments[0]).click()", box)
    assert counts[0] == counts[2] and (counts[0] > 10) == is_on
    assert (counts[1] > 10) != is_on and 0 in counts


def test_rows_that_were_not_run_are_folded_and_come_with_the_papers_values(browser, made):
    browser.open(made / "tables/table01.html")
    assert "word vectors" not in browser.run(LABELS)
    fold = "one('.wide + details.fold')"
    assert (
        browser.run(f"return {fold}.querySelector('summary').innerText") == "Not run: 1 of 5 rows"
    )
    assert browser.run(f"return {fold}.querySelector('li').textContent").endswith(HOSTILE)
    browser.run("one('#published').click()")
    assert browser.run(LABELS)[0] == "word vectors"


def test_a_cell_opens_what_is_behind_it(browser, made):
    browser.open(made / "tables/table01.html")
    browser.run("all('table tbody tr')[2].cells[1].querySelector('button').click()")
    text = browser.run("return one('dialog[open]').innerText")
    shown = (
        "Model\nbert-en;Recipe\nmirror;Corpus\nwords;33: .;44: .;n 1,888;coverage .990;"
        "left out: no word 2;temperature: 0.04;95% interval;Paper\n.52;61.8 s;1.2 s;0.5 s;"
        "compared with the paper"
    )
    assert [words for words in shown.split(";") if words not in text] == []
    links = browser.run("return all('dialog a').map((one) => one.href)")
    files = [Path(unquote(urlsplit(link).path)) for link in links]
    # of two seeds: a card, and logs of tuning, embedding and scoring
    assert [file.name for file in files].count("README.md") == 2 and len(files) == 8
    assert all(file.is_file() for file in files)
    browser.run("one('dialog button').click()")
    assert browser.run("return one('dialog[open]')") is None


def test_a_cell_says_what_is_not_there(browser, made, tmp_path):
    browser.open(made / "tables/table01.html")
    opened = "all('table tbody tr')[arguments[0]].cells[1].querySelector('button').click();"
    opened += "return one('dialog[open]').innerText"
    assert f"not run: {HOSTILE}" in browser.run(opened, 0)
    browser.run("one('dialog').close()")
    assert "untuned encoders, and those trained before the run, have none" in browser.run(opened, 1)
    # a page that was handed on by itself
    alone = tmp_path / "table01.html"
    alone.write_bytes((made / "tables/table01.html").read_bytes())
    browser.open(alone)
    assert "which is not here" in browser.run(opened, 1)
    browser.console()  # which names the file that is not there


def test_texts_of_a_config_stay_texts(browser, made):
    for page in pages(made):
        browser.open(page)
        for button in range(browser.run("return all('td button').length"))[:12]:
            browser.run("all('td button')[arguments[0]].click()", button)
            browser.run("one('dialog').close()")
        assert browser.run("return all('[onerror]').length") == 0, page
        assert "49" not in browser.run("return document.title")
    browser.open(made / "tables/table01.html")
    assert HOSTILE in browser.run("return one('h1').textContent")


def test_the_first_column_stays_while_a_table_scrolls(browser, made):
    browser.open(made / "tables/table02.html", 400, 800)
    left = "return one('tbody th').getBoundingClientRect().left"
    before = browser.run(left)
    scroll = "const w = one('.wide'); w.scrollLeft = 500; return w.scrollLeft"
    assert browser.run(scroll) == 500
    assert browser.run(left) == before


@pytest.mark.parametrize("name", ["index", "scorecard", "table01", "table02"])
def test_print_cuts_nothing_off(browser, made, name):
    """On a page of print the tables are no wider than it; notes are unfolded, tools are gone."""
    browser.open(made / f"tables/{name}.html", 700, 900)
    labels = "return [...one('.wide').querySelectorAll('table:not(.split) thead th')]"
    labels += ".map((one) => one.textContent)"
    before = browser.run(labels)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run(labels) == before
    widths = "return all('table').map((one) => one.getBoundingClientRect().right)"
    assert max(browser.run(widths)) <= browser.run("return innerWidth")
    tools = "return one('.tools')?.checkVisibility()"
    assert not browser.run(tools)
    notes = "return all('.fold > :not(summary)').map((one) => one.checkVisibility())"
    assert all(browser.run(notes))
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.run("return all('.part, .split').length") == 0


BANNER = "return one('.status')?.innerText.replace(/\\n+/g, '\\n')"


def test_pages_say_that_they_show_older_values_and_others_do_not(browser, stale):
    for page in pages(stale):
        browser.open(page)
        name = "/".join(page.with_suffix("").parts[-2:])
        if name not in OLDER:
            assert browser.run(BANNER) is None, page
            continue
        said = browser.run(BANNER)
        assert said.startswith(f"This page shows older values\nIt failed {HOSTILE}"), page
        assert f"up to date: {STATUS['command']}" in said
        assert browser.run("return one('.status').getBoundingClientRect().top") < 20
        assert browser.run("return all('[onerror]').length") == 0, page
        browser.run("one('.status summary').click()")
        assert f"tune_encoder: {HOSTILE}" in browser.run(BANNER)
    # the first page names the others
    browser.open(stale / "tables/index.html")
    links = browser.run("return all('.status a').map((one) => one.href)")
    ends = ["tables/table01.html", "tables/scores.tsv", "figures/figure04.html"]
    assert links == [(stale / end).as_uri() for end in ends]


@pytest.mark.parametrize(
    ("page", "state", "banner"),
    [
        ("table01", "running", "This page may show older values\n"),
        ("table01", "older", "This page shows older values\n"),
        # the first page names those that it links
        ("index", "older", "Some pages show older values\nOlder: tables/table01"),
        ("table02", "older", None),
    ],
)
def test_what_a_page_says_of_an_older_table01(browser, made, tmp_path, page, state, banner):
    name = "tables/table01"
    status = {"pages": {name: {"state": state, "why": "Why."}}, "titles": {name: name}}
    (tmp_path / "status.js").write_text(status_script(status | {"command": ""}))
    shutil.copy(made / f"tables/{page}.html", tmp_path)
    browser.open(tmp_path / f"{page}.html")
    shown = browser.run(BANNER)
    assert shown is None if banner is None else shown.startswith(banner)
    # which names run.js, which is not there
    browser.console()


@pytest.mark.parametrize(("width", "scheme"), [(1300, "light"), (400, "dark")])
def test_a_page_that_is_older_looks_as_well(browser, stale, axe, width, scheme):
    check_look(browser, axe, stale / "figures/figure04.html", width, scheme)


def test_what_made_the_scores_is_counted(browser, made):
    browser.open(made / "tables/index.html")
    last = "all('details.fold').at(-1)"
    browser.run(f"{last}.querySelector('summary').click()")
    text = browser.run(f"return {last}.innerText")
    assert "torch 2.12 (" in text and f"2.13 {HOSTILE} (" in text
    assert "0123456789ab" in text and "This page" in text


def test_the_zip_is_whole(browser, results, tmp_path):
    with zipfile.ZipFile(results / "tables/results.zip") as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "results")
    test_every_link_and_picture_is_there(browser, tmp_path / "results")
    page = tmp_path / "results/tables/index.html"
    assert "results.zip" not in page.read_text(encoding="utf-8")
    browser.open(page)
    assert browser.run(BANNER) is None


def test_pages_without_figures_weigh_under_3_mb(results):
    files = [*pages(results), results / "tables/run.js"]
    assert sum(file.stat().st_size for file in files) < 3e6
