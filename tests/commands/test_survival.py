"""Times to an event at the command line: ``tlpo run --time``."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

import tlpo
from analysis.analyses import deaths
from commands.running import command

TIMES = ("--time", "months", "--event", "died")
ALONE = ("--n-jobs", 1)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    deaths().to_csv(path, index=False)
    return path


def ask(monkeypatch, capsys, *arguments):
    """Return exit code, answer and everything else, in lines without their breaks."""
    code, out, err = command(monkeypatch, capsys, *arguments)
    return code, " ".join(out.split()), err


def survival_of(path, model=None, **options):
    """Return what Python says about the same columns: scaled numbers, one-hot sites."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = pd.read_csv(path)
    X = frame[["age", "marker", "smoker", "site"]]
    columns = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["age", "marker", "smoker"]),
            ("names", OneHotEncoder(sparse_output=False), ["site"]),
        ]
    )
    model = tlpo.Cox() if model is None else model
    y = tlpo.time_to_event(frame["months"], frame["died"])
    return tlpo.survival(make_pipeline(columns, model), X, y, **options)


def test_files_hold_what_python_says(table, tmp_path, monkeypatch, capsys):
    names = {kind: tmp_path / f"out.{kind}" for kind in ("html", "json", "md", "csv")}
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, *TIMES, "--at", 3, 5, "--specificity", 0.8, *ALONE),
        *(part for kind, path in names.items() for part in (f"--{kind}", path)),
        *("--figures", tmp_path / "figures"),
    )
    assert code == 0, err
    s, found = survival_of(table), json.loads(names["json"].read_text())
    assert (found["kind"], found["target"], found["time_column"]) == ("survival", "died", "months")
    (model,) = found["models"]
    assert (model["name"], model["engine"]) == ("cox", "cox")
    assert model["concordance"] == pytest.approx(s.concordance)
    assert model["uno"] == pytest.approx(s.uno())
    limits = tuple(s.concordance_interval())
    assert (model["interval"]["low"], model["interval"]["high"]) == pytest.approx(limits)
    for at, time in zip(model["at"], (3, 5), strict=True):
        assert at["auc"] == pytest.approx(s.auc_at(time))
        expected = s.sensitivity_at(specificity=0.8, time=time)
        assert at["sensitivity"] == pytest.approx(expected)
    low, high = (f"{limit:.3f}" for limit in limits)
    assert out.startswith(
        "cox gives the patient with the earlier event the higher risk with probability "
        f"{s.concordance:.3f} (Harrell's concordance; 95% interval {low} to {high})."
    )
    assert err.splitlines()[0] == (
        "The outcome is the time 'months' to 'died' ('yes' is the event): 19 had the event, 5 were "
        "censored. Of two patients, the one with the earlier event should rank higher."
    )
    assert "24 rows read: 24 patients, 19 events." in err
    people = pd.read_csv(names["csv"])
    assert people.columns.tolist() == ["row", "patient", "time", "outcome", "cox score", "cox rank"]
    assert people["time"].tolist() == pd.read_csv(table)["months"].tolist()
    assert people["cox score"].tolist() == s.scores.tolist()
    assert sorted(p.stem for p in (tmp_path / "figures").glob("*.svg")) == [
        *("roc-1", "schemes-1", "survival-1", "wins-1")
    ]
    # The same page from the file.
    again = tmp_path / "again.html"
    code, shown, _ = ask(monkeypatch, capsys, "render", names["json"], "--html", again)
    assert (code, shown) == (0, out)
    assert again.read_bytes() == names["html"].read_bytes()


def test_a_code_is_named_as_the_event(table, tmp_path, monkeypatch, capsys):
    frame = pd.read_csv(table)
    frame["died"] = np.where(frame["died"] == "yes", 2, np.arange(24) % 2)
    frame.to_csv(table, index=False)
    path = tmp_path / "r.json"
    run = ("run", table, "--time", "months", "--quiet", "--json", path, *ALONE)
    code, _, err = ask(monkeypatch, capsys, *run, "--event", "died == 2")
    assert (code, err) == (0, "")
    found = json.loads(path.read_text())
    assert found["event"] == (frame["died"] == 2).tolist()
    assert found["coding"] == "2 is the event"
    code, out, err = ask(monkeypatch, capsys, *run, "--event", "died")
    assert (code, out) == (1, "")
    assert err == (
        "tlpo: There may be a competing event: the column of the event has three codes.\n"
        "You passed --event died, which holds '0', '1', '2'.\nSay which is the event, for example "
        "--event 'died == 1'; patients with the other event are then censored when it happened.\n"
    )


def test_a_reversed_event_that_orders_nobody_is_said_to_be_reversed(table, monkeypatch, capsys):
    """Everybody who is left was censored at the end, which 1 stands for here."""
    frame = pd.read_csv(table)
    frame["months"] = np.where(np.arange(24) % 2, 60.0, frame["months"].clip(upper=59.0))
    frame["died"] = np.arange(24) % 2
    frame.to_csv(table, index=False)
    run = ("run", table, "--time", "months", "--quiet", *ALONE)
    code, out, err = ask(monkeypatch, capsys, *run, "--event", "died")
    assert (code, out) == (1, "")
    assert err.startswith(
        "tlpo: No patient outlived one that had the event, so no two patients can be ordered.\n"
        "You passed --event died, which holds '0', '1': 24 patients, 12 events, times from "
    )
    assert err.endswith(
        "\nCheck times and events; events must not all come last. If these were censored instead, "
        "pass --event 'died == 0'.\n"
    )
    code, _, err = ask(monkeypatch, capsys, *run, "--event", "died == 0")
    assert (code, err) == (0, "")


OUTCOME = "tlpo: An outcome is either one column, or a time and an event.\nYou passed {}.\n" + (
    "For example --target relapse, or --time months and --event died.\n"
)


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ((), 2, OUTCOME.format("neither")),
        (("--time", "months"), 2, OUTCOME.format("--time months")),
        (("--event", "died"), 2, OUTCOME.format("--event died")),
        (("--target", "died", *TIMES), 2, OUTCOME.format(
            "--target died and --time months and --event died")),
        (("--target", "died", "--time", "months"), 2, OUTCOME.format(
            "--target died and --time months")),
        (("--target", "died", "--event", "died"), 2, OUTCOME.format(
            "--target died and --event died")),
        (
            ("--target", "died", "--drop", "months", "--at", "3"),
            2,
            "tlpo: Only a time to an event has times at which to report the AUC.\nYou passed --at "
            "3.0, but no column of times.\nName it, for example --time months.\n",
        ),
        (
            (*TIMES, "--at", "300"),
            1,
            "tlpo: At this time nobody had the event yet, or nobody is still followed.\nYou passed "
            "--at 300.0; the first event is at 1, and the longest follow-up is 13.\nChoose times "
            "from 1 to before 13.\n",
        ),
        (
            (*TIMES, "--at", "0"),
            2,
            "tlpo: --at must be a time above 0.\nYou passed --at 0.0.\n"
            "Use the unit of the times in the data.\n",
        ),
        (
            (*TIMES, "--positive", "yes"),
            2,
            "tlpo: A time to an event is neither classes nor a number.\nYou passed --time months "
            "and --positive.\nLeave out one of the two.\n",
        ),
        (
            (*TIMES, "--ordered"),
            2,
            "tlpo: A time to an event is neither classes nor a number.\nYou passed --time months "
            "and --ordered.\nLeave out one of the two.\n",
        ),
        (
            (*TIMES, "--model", "ridge"),
            2,
            "tlpo: The model cannot be used here.\n'ridge' is a model of two classes, and the "
            "outcome is times to an event.\nChoose from cox, coxnet, survival-forest.\n",
        ),
        (
            ("--target", "died", "--model", "cox"),
            2,
            "tlpo: The model cannot be used here.\n'cox' is a model of times to an event, and the "
            "outcome is two classes.\nChoose from ridge, ridge-cv, rls, logistic, glm, "
            "logistic-cv, lasso, elastic-net, lda, knn, idknn, bayes, pls, svm, forest, "
            "boosting, constant.\n",
        ),
        (
            (*TIMES, "--sorts", "3"),
            2,
            "tlpo: Sorts give no interval of a concordance, and the outcome is a time to an event."
            "\nYou passed --sorts 3.\nLeave it out.\n",
        ),
        (
            (*TIMES, "--smooth"),
            2,
            "tlpo: A smoothed ROC curve needs two classes, and the outcome is a time to an "
            "event.\nYou passed --smooth.\nLeave it out.\n",
        ),
        (
            (*TIMES, "--by", "site", "--rounds", "10"),
            2,
            "tlpo: Subgroups and shards need the games of every pair.\n"
            "You passed --by site and --rounds 10.\nLeave out one of the two.\n",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(asked, code, said, table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found, out, err = ask(monkeypatch, capsys, "run", table, "--quiet", *ALONE, *asked)
    assert (found, out, err) == (code, "", said)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.fixture
def _without_scikit_survival(monkeypatch):
    for name in ("sksurv", "sksurv.linear_model", "sksurv.ensemble"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("_without_scikit_survival")
@pytest.mark.parametrize("model", ["coxnet", "survival-forest"])
def test_models_of_a_package_that_is_missing(model, table, monkeypatch, capsys):
    run = ("run", table, *TIMES, "--quiet", *ALONE)
    code, out, err = ask(monkeypatch, capsys, *run, "--model", model)
    assert (code, out) == (2, "")
    assert err == (
        f"tlpo: This model needs scikit-survival.\nYou passed the model {model!r}.\n"
        'Install it with: pip install "tlpo[survival]". The model "cox" needs nothing.\n'
    )
    code, out, err = ask(monkeypatch, capsys, *run, "--model", "cox")
    assert (code, err) == (0, "")


def test_the_list_of_models_has_those_of_times(monkeypatch, capsys):
    code, out, _ = ask(monkeypatch, capsys, "models")
    assert code == 0
    assert "cox Cox regression with a penalty on large coefficients (ridge) alpha=1.0, ti" in out
    assert "survival-forest random survival forest bootstrap=True" in out


@pytest.mark.usefixtures("_without_scikit_survival")
def test_the_list_of_models_says_what_a_model_needs(monkeypatch, capsys):
    code, out, _ = ask(monkeypatch, capsys, "models")
    assert code == 0
    assert 'survival-forest random survival forest Install it with: pip install "tlpo[surv' in out
    assert "ridge ridge regression" in out


def test_subgroups_and_a_test_of_any_signal(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, *TIMES, "--by", "site", "--permutations", 5),
        *("--json", path, *ALONE),
    )
    assert code == 0, err
    (model,) = json.loads(path.read_text())["models"]
    assert [row["subgroup"] for row in model["subgroups"]] == ["north", "south"]
    assert sum(row["n_units"] for row in model["subgroups"]) == 24
    assert 1 <= round(model["permutation"]["p_value"] * 6) <= 6
    assert "Permutation test of any signal: p " in out


def test_rounds_have_their_seed(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, *TIMES, "--rounds", 11, "--seed", 3),
        *("--json", path, *ALONE),
    )
    assert code == 0, err
    (model,) = json.loads(path.read_text())["models"]
    assert model["scores"] == survival_of(table, rounds=11, random_state=3).scores.tolist()
    assert "each patient met 11 of 23 others" in out


def test_two_classes_beside_times_are_asked_about(table, monkeypatch, capsys):
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, "--target", "died", "--model", "rls", *ALONE)
    )
    assert code == 0, err
    assert (
        "'died' may say who had an event during 'months'. Then those who were followed for a "
        "shorter time are censored, so they are not true negatives, and this AUC answers another "
        "question. Nor can 'months' then be a predictor: it is known only afterwards. If so, run "
        "the analysis again with --time months --event died; to keep two classes, run the "
        "analysis again with --drop months."
    ) in out


@pytest.mark.exhaustive
def test_shards_and_a_journal_give_the_same_answer(tmp_path, monkeypatch, capsys):
    path, journal = tmp_path / "small.csv", tmp_path / "run.tlpo"
    deaths(12)[["age", "marker", "months", "died"]].to_csv(path, index=False)
    run = ("run", path, *TIMES, "--model", "coxnet:n_alphas=2,tol=1e-13", *ALONE)
    code, plain, err = ask(monkeypatch, capsys, *run)
    assert code == 0, err
    said = "coxnet:n_alphas=2,tol=1e-13 gives the patient with the earlier event the higher risk"
    assert said in plain
    for k in (1, 2):
        code, out, err = ask(monkeypatch, capsys, *run, "--journal", journal, "--shard", f"{k}/2")
        assert (code, out) == (0, ""), err
    parts = sorted(tmp_path.glob("run.*-of-2.tlpo"))
    code, out, err = ask(monkeypatch, capsys, "merge", journal, *parts)
    assert code == 0, err
    assert out.endswith(": 66 of 66 done (100.0%)")
    for _ in range(2):
        code, out, err = ask(monkeypatch, capsys, *run, "--journal", journal)
        assert (code, out) == (0, plain), err


@pytest.mark.exhaustive
def test_forests_and_elastic_nets_of_the_table(table, tmp_path, monkeypatch, capsys):
    path = tmp_path / "r.json"
    code, out, err = ask(
        *(monkeypatch, capsys, "run", table, *TIMES, "--model", "survival-forest", *ALONE),
        *("--model", "coxnet", "--model", "cox", "--json", path),
    )
    assert code == 0, err
    forest, net, cox = json.loads(path.read_text())["models"]
    assert (forest["engine"], net["engine"], cox["engine"]) == ("forest", "coxnet", "cox")
    for model in (forest, net, cox):
        assert 0.3 < model["concordance"] < 0.9
        assert f"{model['name']} gives the patient with the earlier event" in out
    assert net["final"]["equation"]["scale"] == "log hazard ratio"
    assert forest["final"]["equation"] is None
