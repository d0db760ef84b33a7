"""The reports of commands in a real browser: no side scrolling, no finding of axe, no request."""

import pytest
from report_samples import HOSTILE, reports_with
from test_results_pages import SIZES, check_look

from workflow_scripts.reports.page import write_report

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The pages of the reports, with texts of users that would be scripts."""
    folder = tmp_path_factory.mktemp("reports")
    for number, report in enumerate(reports_with(HOSTILE, 150)):
        write_report(folder / f"{number}.html", report)
    return sorted(folder.glob("*.html"))


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_reports_look_well_on_any_screen(browser, reports, axe, width, scheme):
    for page in reports:
        check_look(browser, axe, page, width, scheme)


def test_reports_say_nothing_on_the_console_and_ask_nobody(browser, reports):
    browser.console()
    for page in reports:
        browser.open(page)
        assert browser.run("return performance.getEntriesByType('resource')") == [], page
    assert browser.console() == []


@pytest.mark.parametrize("width", [1300, 400])
def test_the_verdict_and_the_numbers_are_on_the_first_screen(browser, reports, width):
    for page in reports:
        browser.open(page, width)
        assert browser.run("return one('.verdict').getBoundingClientRect().bottom") < 400
        assert browser.run("return one('svg[role=img]').getBoundingClientRect().top") < 800


def test_a_click_on_a_head_sorts_a_list(browser, reports):
    browser.open(reports[1])
    column = "[...one('tbody').rows].map((row) => parseFloat(row.cells[3].textContent))"
    browser.run("one('thead').rows[0].cells[3].querySelector('button').click()")
    scores = browser.run(f"return {column}")
    assert scores == sorted(scores, reverse=True) and len(scores) == 100
