"""Reports of times to an event: every kind of file, and what they say."""

import re
import shlex

import docx
import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

import tlpo
from analysis.analyses import KINDS, deaths, survival_of
from analysis.test_ordered import with_a_test
from commands.running import command
from survival_oracles import patients
from tlpo.analysis.load import load_analysis
from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.packed_games import unpack_games
from tlpo.document.as_code import Run, as_command, as_python
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.patients import to_table
from tlpo.document.survival_narrative import (
    at_time,
    follow_up,
    methods,
    references,
    sentence,
    title,
)
from tlpo.document.survival_parts import groups_table
from tlpo.document.write import json_of, write
from tlpo.problem.outcome import TimeToEvent
from tlpo.tables.options import Specification

SURVIVAL = (
    *("survival", "survival by subgroups"),
    *("survival in groups", "survival in rounds"),
)
EVIL = "<img src=x onerror=alert(1)>"


class Feature(tlpo.Cox):
    """Learns nothing: the only feature is the risk."""

    def fit(self, X, y):
        self.events_ = int(y["event"].sum())
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


@pytest.fixture(scope="module")
def six():
    """Eleven ordered pairs, six of them the right way; see test_six_patients_by_hand."""
    X, time = [[3.0], [9.0], [1.0], [2.0], [4.0], [5.0]], [1, 2, 2, 4, 6, 7]
    return tlpo.survival(Feature(), X, time, [1, 1, 0, 1, 0, 0])


# ----- files of every kind


@pytest.mark.parametrize(
    "name",
    [
        *("survival", "survival in rounds"),
        pytest.param("survival by subgroups", marks=pytest.mark.exhaustive),
        pytest.param("survival in groups", marks=pytest.mark.exhaustive),
    ],
)
def test_a_page_markdown_and_word_say_the_same(name, tmp_path):
    analysis = with_a_test(KINDS[name]())
    for ending in ("html", "docx"):
        write(analysis, OutputFiles(html=tmp_path / f"r.{ending}", md=tmp_path / "r.md"))
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    in_word = docx.Document(str(tmp_path / "r.docx"))
    running = "\n".join(paragraph.text for paragraph in in_word.paragraphs)
    for model in analysis.models:
        said = f"with probability {model.concordance:.3f} (Harrell's concordance; "
        assert said in page.replace("&#39;", "'")
        for found in (text, running):
            assert said in found
        if model.uno is not None:
            assert f"{model.uno:.3f}" in text
        for at in model.at:
            assert f"an AUC of {at.auc:.3f} ({at.interval.low:.3f} to " in text
    assert "Permutation test of any signal: p = 0.250." in text
    # Every picture says what it shows.
    assert page.count("<img") == page.count('alt="')
    assert "nan" not in re.sub(r'src="[^"]*"', "", page).lower().split()
    assert "None" not in text.partition("## Checklist")[0]


def test_from_json_byte_for_byte(tmp_path):
    analysis = KINDS["survival"]()
    path = tmp_path / "r.json"
    path.write_text(json_of(analysis))
    again = load_analysis(str(path))
    assert again == analysis
    assert json_of(again) == path.read_text()
    assert to_html(make_document(again)) == to_html(make_document(analysis))
    assert to_markdown(make_document(again)) == to_markdown(make_document(analysis))


def test_the_pictures_are_those_of_games_groups_and_curves():
    analysis = KINDS["survival by subgroups"]()
    figures = make_document(analysis).figures()
    assert list(figures) == [
        f"{kind}-{k}" for k in (1, 2, 3) for kind in ("wins", "schemes", "survival", "roc")
    ]
    model, event = analysis.models[0], np.array(analysis.event)
    (axes,) = figures["wins-1"].draw().axes
    expected = tlpo.ConcordanceDisplay.from_games(
        *(unpack_games(model.games), np.array(analysis.time), np.array(model.scores)), event=event
    ).plot()
    for ours, theirs in zip(axes.lines, expected.ax_.lines, strict=True):
        np.testing.assert_array_equal(ours.get_xydata(), theirs.get_xydata())
    assert axes.get_xlabel() == "months"
    (axes,) = figures["survival-1"].draw().axes
    steps = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    for line, curve in zip(steps, model.groups.curves, strict=True):
        assert line.get_xdata().tolist() == [0.0, *curve.time]
        assert line.get_ydata().tolist() == [1.0, *curve.survival]
    assert axes.get_xlabel() == "months"
    (axes,) = figures["roc-1"].draw().axes
    drawn = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.lines]
    assert [(at.fpr, at.tpr) for at in model.at] == [curve for curve in drawn if len(curve[0]) > 2]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend[:2] == [f"months {at.time:g} (AUC {at.auc:.3f})" for at in model.at]


def test_rounds_have_no_curves_at_times():
    analysis = KINDS["survival in rounds"]()
    assert list(make_document(analysis).figures()) == [
        f"{kind}-{k}" for k in (1, 2) for kind in ("wins", "schemes", "survival")
    ]
    text = to_markdown(make_document(analysis))
    assert "AUC at a time" not in text
    assert "Uno's weights these pairs" not in text


def test_a_report_from_python_has_what_results_know(six, tmp_path):
    paths = [tmp_path / name for name in ("r.html", "r.json", "r.md")]
    analysis = tlpo.report(six, *paths, names=["risk"], target="death", unit="mouse/mice", at=[2])
    assert load_analysis(str(paths[1])) == analysis
    (model,) = analysis.models
    assert model.concordance == pytest.approx(6 / 11)
    assert model.uno == pytest.approx(six.uno())
    assert [at.auc for at in model.at] == [pytest.approx(4 / 6)]
    interval = six.concordance_interval()
    assert (model.interval.low, model.interval.high) == tuple(interval)
    text = paths[2].read_text()
    assert "Outcome: time (time) to death. Mice: 6, 3 with the event." in text
    for words in ("Rows read", "Baseline table", "Hazard ratio", "Events per coefficient"):
        assert words not in text
    other = tlpo.tournament(tlpo.RLS(), np.arange(10.0)[:, None], np.arange(10) % 2)
    with pytest.raises(tlpo.InputError, match="You passed Tournament"):
        tlpo.report([six, other])
    with pytest.raises(tlpo.InputError, match="At this time nobody had the event yet"):
        tlpo.report(six, at=[0.5])


def test_all_who_are_left_are_censored_at_once(tmp_path):
    """As if a study ended on a day: G falls from above ½ to 0, where its limits are unknown."""
    X, time, _ = patients(30)
    s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
    assert s.follow_up.median == 1.0
    assert s.follow_up.median_limits(0.95) == (None, None)
    analysis = tlpo.report(s, tmp_path / "r.json")
    assert load_analysis(str(tmp_path / "r.json")) == analysis
    assert follow_up(analysis).endswith("the median follow-up was 1 (time).")


def test_two_results_are_compared_in_one_report():
    X, time, event = patients(20)
    y = tlpo.time_to_event(time, event)
    models = [tlpo.survival(tlpo.Cox(alpha), X, y) for alpha in (1.0, 50.0)]
    analysis = tlpo.report(models, names=["weak", "strong"])
    found = tlpo.compare(*models)
    (row,) = analysis.comparisons
    assert (row.difference, row.p_value) == (found.difference, found.p_value)


# ----- sentences


def test_sentences_by_hand(six):
    analysis = tlpo.report(six, names=["risk"], target="death", unit="patients", at=[2])
    (model,) = analysis.models
    low, high = (f"{limit:.3f}" for limit in six.concordance_interval())
    assert title(analysis) == "Time to death: how well does risk rank patients by risk?"
    assert sentence(model, analysis) == (
        "risk gives the patient with the earlier event the higher risk with probability 0.545 "
        f"(Harrell's concordance; 95% interval {low} to {high}). The interval includes 0.5, so the "
        "model may rank no better than chance."
    )
    low, high = (f"{limit:.3f}" for limit in six.auc_at_interval(2))
    assert at_time("risk", model.at[0], analysis) == (
        "At 2 (time), risk tells those with the event from those without it with an AUC of 0.667 "
        f"({low} to {high})."
    )
    # One of four leaves at 2, one of two at 6: the curve of censoring falls to 3/8 at 6.
    low, high = six.follow_up.median_limits(0.95)
    assert follow_up(analysis) == (
        "3 of 6 patients had the event; the median follow-up was 6 (time; 95% interval "
        f"{low:g} to {'not reached' if high is None else f'{high:g}'})."
    )
    # Nothing is known of the limits if all who are left are censored at once.
    unknown = replace(analysis, follow_up=replace(analysis.follow_up, low=None, high=None))
    assert follow_up(unknown) == (
        "3 of 6 patients had the event; the median follow-up was 6 (time)."
    )
    never = replace(analysis, follow_up=replace(analysis.follow_up, median=None))
    assert follow_up(never) == (
        "3 of 6 patients had the event; the median follow-up is not reached."
    )


@pytest.mark.parametrize(
    ("median", "low", "high", "shown"),
    [
        (20.0, 12.1, 31.0, ["20", "12.1 to 31"]),
        (20.0, 12.1, None, ["20", "12.1 to not reached"]),
        (None, 12.1, None, ["not reached", "12.1 to not reached"]),
        (None, None, None, ["not reached", "not reached"]),
        (20.0, None, None, ["20", "—"]),  # all had the event at once
    ],
)
def test_limits_that_a_curve_does_not_reach_are_said_so(median, low, high, shown):
    analysis = KINDS["survival"]()
    groups = analysis.models[0].groups
    curve = replace(groups.curves[0], median=median, median_low=low, median_high=high)
    groups = replace(groups, curves=[curve, *groups.curves[1:]])
    table, _ = groups_table(analysis, "cox", groups, note="")
    assert table.rows[0][-2:] == shown


def test_verdicts():
    analysis = KINDS["survival"]()
    (model,) = analysis.models
    worse = replace(model, concordance=0.2, interval=replace(model.interval, low=0.1, high=0.3))
    assert sentence(worse, analysis).endswith(
        "interval 0.100 to 0.300). That is worse than chance: check how died is coded."
    )
    better = replace(model, concordance=0.9, interval=replace(model.interval, low=0.8, high=1.0))
    assert sentence(better, analysis).endswith("interval 0.800 to 1.000).")


def test_methods_name_what_was_done():
    one, several, groups, rounds = (KINDS[name]() for name in SURVIVAL)
    assert (
        "Harrell's concordance is the share of pairs, of which one patient had the event while the "
        "other was known to be without it, in which the first won [2]; Uno's weights these pairs "
        "against the effect of censoring [5]."
    ) in methods(one)
    assert follow_up(one) in methods(one)
    assert "Models were compared" not in methods(one)
    assert "AUCs and ROC curves at 4, 8 (months) weight cases by the inverse" in methods(several)
    assert "with p-values adjusted by Holm's method." in methods(several)
    assert "in 24 lesions." in methods(several)
    assert "90% intervals are score intervals" in methods(several)
    assert "Risk groups are thirds of the lesions" in methods(several)
    assert "doubled, plus the variance of the draw of pairs." in methods(rounds)
    assert "AUCs and ROC curves" not in methods(rounds)
    assert "person" not in methods(one)
    assert "in 23 rows." in methods(groups)


@pytest.mark.parametrize("name", SURVIVAL)
def test_every_reference_is_cited(name):
    analysis = KINDS[name]()
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", methods(analysis))}
    assert cited == set(range(1, len(references(analysis)) + 1))
    assert len(cited) == {"survival in rounds": 3}.get(name, 6 if analysis.models[0].at else 5)


def test_hazard_ratios_are_exponentials_of_the_coefficients():
    analysis = KINDS["survival"]()
    text = to_markdown(make_document(analysis))
    for term in analysis.models[0].final.equation.terms:
        name = term.feature if term.level is None else f"{term.feature}: {term.level} (not "
        line = next(line for line in text.splitlines() if line.startswith(f"| {name}"))
        *_, coefficient, ratio, _ = (cell.strip() for cell in line.split("|"))
        assert float(coefficient.replace("−", "-")) == pytest.approx(term.value, rel=1e-5)
        assert float(ratio) == pytest.approx(np.exp(term.value), rel=5e-3)


def test_what_so_many_events_can_show():
    """The expected interval at ½ is that of twice the variance of independent scores."""
    analysis = KINDS["survival"]()
    text = to_markdown(make_document(analysis))
    assert "The interval that 19 events are expected to give" in text
    assert "Events per coefficient: 4.8 (19 events, 4 coefficients of a linear model)." in text
    outcome = TimeToEvent(np.array(analysis.time), np.array(analysis.event))
    won, lost = outcome.n_expected[:, 0], outcome.n_expected[:, 1]
    P = won.sum()
    variance = (P / 4 + (won @ won + lost @ lost - 2 * P) / 12 - won @ lost / 6) / P**2
    row = next(line for line in text.splitlines() if line.startswith("| 0.5 |"))
    low, high = map(float, re.findall(r"0\.\d+", row)[1:])
    assert low + high == pytest.approx(1.0, abs=0.02)
    # The score interval is narrower than the plain one, but not by much at ½.
    half = 1.96 * np.sqrt(2 * variance)
    assert 0.8 * half < (high - low) / 2 < half


def test_the_checklist_knows_times():
    text = to_markdown(make_document(KINDS["survival by subgroups"]()))
    checklist = text.partition("## Checklist")[2]
    assert "Time (months) to died. 19 of 24 lesions had the event" in checklist
    assert "Uno's concordance, AUC and ROC curve at 4, 8 (months), survival of risk" in checklist
    assert (
        "Hazard ratios and baseline survival of cox, cox:alpha=100, cox:ties=breslow: Each"
        in checklist
    )
    assert "Concordance by site, smoker: Subgroups." in checklist


# ----- what comes from outside


def test_outside_text_stays_text(tmp_path):
    table = deaths().drop(columns="clinic").rename(columns={"marker": f"{EVIL}$x$", "age": "a|b"})
    table["site"] = np.where(table["site"] == "north", "$\\frac$ {{7*7}}", EVIL)
    table["died"] = np.where(table["died"] == "yes", "<b>gone</b>", "here")
    table = table.rename(columns={"died": "$d$ <b>", "months": "$m$ <b>|"})
    analysis = survival_of(
        *("cox",), table=table, event="$d$ <b> == <b>gone</b>", time="$m$ <b>|", by=("site",)
    )
    assert analysis.coding == "<b>gone</b> is the event"
    outputs = OutputFiles(
        html=tmp_path / "r.html",
        json=tmp_path / "r.json",
        md=tmp_path / "r.md",
        figures=tmp_path / "figures",
    )
    write(analysis, outputs)
    assert load_analysis(str(outputs.json)) == analysis
    page = outputs.html.read_text()
    assert "<img src=x" not in page
    assert "<b>" not in page.replace("<b>cox</b>", "")
    assert "<img" not in outputs.md.read_text()
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == {
        *("wins-1", "schemes-1", "survival-1", "roc-1")
    }


# ----- the table of the patients, and the same again


def test_patients_by_hand(six):
    table = to_table(tlpo.report(six, names=["risk"]))
    assert table.to_dict("list") == {
        "row": [1, 2, 3, 4, 5, 6],
        "time": [1, 2, 2, 4, 6, 7],
        "outcome": ["event", "event", "censored", "event", "censored", "censored"],
        "risk score": [2, 5, 0, 1, 3, 4],
        "risk rank": [4, 1, 6, 5, 3, 2],
    }
    named = to_table(tlpo.report(six), pd.DataFrame({"time": list("abcdef"), "outcome": range(6)}))
    assert named.columns[:4].tolist() == ["time", "outcome", "time (tlpo)", "outcome (tlpo)"]


def test_the_command_names_times_and_models():
    spec = Specification("status == 2", time="months", drop=["site"])
    run = Run("t.csv", spec, options=Options(at=(12.0, 36.5)), outcome=TimeToEvent)
    assert as_command(run) == (
        "tlpo run t.csv --time months --event 'status == 2' --drop site --at 12.0 --at 36.5"
    )
    other = Run("t.csv", spec, models=("cox:alpha=9",), outcome=TimeToEvent)
    assert as_command(other).endswith(" --model cox:alpha=9")


def test_command_and_python_give_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    deaths().to_csv("t.csv", index=False)
    spec = Specification("died", time="months", drop=["site"])
    options = Options(confidence_level=0.9, at=(3.0, 4.0625))
    outputs = OutputFiles(json=tmp_path / "r.json")
    run = Run("t.csv", spec, options=options, outputs=outputs, models=("cox",), outcome=TimeToEvent)
    code, _, err = command(monkeypatch, capsys, *shlex.split(as_command(run))[1:])
    assert code == 0, err
    (model,) = load_analysis(str(outputs.json)).models
    names = {}
    exec(as_python(run), names)
    s, said = names["results"]["cox"], capsys.readouterr().out
    assert s.scores.tolist() == model.scores
    assert tuple(s.concordance_interval(0.9)) == (model.interval.low, model.interval.high)
    for at in model.at:
        low, high = at.interval.low, at.interval.high
        assert f"AUC at {at.time:g}: {at.auc:.4f}, 90 % interval {low:.4f} to {high:.4f}" in said
    # Rounds have no AUCs at times, and the code asks for none.
    rounds = Run("t.csv", spec, options=Options(rounds=10, at=(3.0,)), outcome=TimeToEvent)
    assert "auc_at" not in as_python(rounds)
