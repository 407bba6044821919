"""Markers of times to an event in the app: the worker's files, and the page."""

import zipfile

from analysis.followed import SURVIVAL_MARKERS, followed, survival_markers_of
from app.test_work import job, told_by
from tlpo.analysis.load import load_analysis
from tlpo.app.answer import _contents, _said


def test_the_worker_does_what_the_command_does(tmp_path):
    table, folder = tmp_path / "t.csv", tmp_path / "mine"
    followed().to_csv(table, index=False)
    folder.mkdir()
    spec = {"target": "died", "time": "months", "features": ["crp"]}
    asked = {"specificity": 0.8, "at": [5, 12]}
    options = {"markers": ["crp"], "smaller_is_positive": [], **asked}
    told = told_by(job("mark", table, spec=spec, markers=options, folder=str(folder)))
    assert [what["file"] for what in told] == [
        *("result.json", "answer.md", "patients.csv", "report.html", "report.docx", "figures.zip")
    ]
    found = load_analysis(str(folder / "result.json"))
    assert found.markers == survival_markers_of("crp", options=asked).markers
    with zipfile.ZipFile(folder / "figures.zip") as archive:
        drawn = {name.partition(".")[0] for name in archive.namelist()}
    assert drawn == {"survival-1", "roc-1"}


def test_the_page_says_it():
    analysis = SURVIVAL_MARKERS["markers of times"]()
    page = str(_said(analysis))
    for marker in analysis.markers:
        assert f"{marker.concordance:.3f}" in page
    assert "has the smaller albumin with probability" in page
    assert 'aria-label="Concordance of every marker"' in page
    assert _contents(analysis).startswith("comparison, survival of risk groups")
    page = str(_said(survival_markers_of("stage")))
    assert "Run again and say that small values of 'stage' go with earlier events" in page
