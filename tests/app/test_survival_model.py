"""Models of times to an event in the app: the worker saves one."""

from types import SimpleNamespace

import pytest

from analysis.followed import followed
from app.test_work import job, told_by
from tlpo.analysis.model_file import load_model
from tlpo.analysis.options import Options
from tlpo.app.analyses import Analysis
from tlpo.app.work import JobRunner
from tlpo.problem.outcome import Classes, Ordered, SeveralClasses, TimeToEvent


def test_a_model_of_times_is_saved(tmp_path, monkeypatch):
    """Without the report, which other tests write."""
    delivered = []
    monkeypatch.setattr(JobRunner, "_deliver", lambda _, analysis, *__: delivered.append(analysis))
    table = tmp_path / "t.csv"
    followed(24)[["months", "died", "crp"]].to_csv(table, index=False)
    told = told_by(
        job(
            *("run", table),
            spec={"target": "died", "time": "months"},
            models=["cox"],
            model_file="model.skops",
            folder=str(tmp_path),
            journal=str(tmp_path / "run.tlpo"),
            options={"at": [5]},
        )
    )
    assert told[-1] == {"file": "model.skops", "notes": []}
    card = load_model(str(tmp_path / "model.skops"))[1]
    (analysis,) = delivered
    assert analysis.model_file == "model.skops"
    assert card.concordance.estimate == analysis.models[0].concordance
    assert card.times == [5]


@pytest.mark.parametrize(
    ("outcome", "models", "is_saved"),
    [
        (TimeToEvent, ("cox",), True),
        (TimeToEvent, ("cox", "coxnet"), False),
        (Classes, ("ridge",), True),
        (Ordered, ("ridge",), False),
        (SeveralClasses, ("ridge",), False),
    ],
)
def test_one_model_of_classes_or_times_is_offered(outcome, models, is_saved):
    page = SimpleNamespace(outcome=outcome, models=models, judges_markers=False, options=Options())
    assert Analysis._can_save_model.fget(page) is is_saved
