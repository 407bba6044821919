"""How many features a sample supports, as the command line says it."""

import pytest

import tlpo
from commands.running import command
from tlpo.analysis.plan_model import Study, plan_model

CRITERIA = (
    "Criteria: coefficients that need to be shrunk by no more than 10%, an R² that is optimistic "
    "by no more than 0.05, and the overall risk known to within ±0.05 (Riley et al. 2020), of a "
    "model that is fitted without a penalty.\n"
)


def run(monkeypatch, capsys, *arguments):
    code, out, err = command(monkeypatch, capsys, "plan", *map(str, arguments))
    assert (code, err) == (0, "")
    return out


def test_features_of_a_sample(monkeypatch, capsys):
    out = run(monkeypatch, capsys, "--features", 46, "--units", 113, "--events", 84, "--auc", 0.8)
    assert (
        out
        == (
            "AUC 0.8 (R² 0.211): 46 features need 1723 patients with 1281 events (shrinkage 1723, "
            "optimism 1180, risk 294); 113 patients with 84 events support 3 features.\n"
            "113 patients with 84 events: the overall risk is known to within ±0.08.\n"
        )
        + CRITERIA
    )


def test_events_alone_are_of_half_of_the_patients_unless_told(monkeypatch, capsys):
    out = run(monkeypatch, capsys, "--events", 84, "--auc", 0.9)
    assert out.startswith("AUC 0.9 (R² 0.445): 168 patients with 84 events support 8 features.\n")
    out = run(monkeypatch, capsys, "--events", 84, "--auc", 0.9, "--share", 0.2)
    assert ": 420 patients with 84 events support " in out


def test_r_squared_instead_of_an_auc(monkeypatch, capsys):
    out = run(monkeypatch, capsys, "--features", 24, "--share", 0.174, "--r2", 0.288)
    assert (
        out
        == (
            "R² 0.288: 24 features need 662 patients with 116 events (shrinkage 623, optimism 662, "
            "risk 221).\n"
        )
        + CRITERIA
    )


def test_times_and_numbers(monkeypatch, capsys):
    timed = ("--follow-up", 2.07, "--at", 2)
    out = run(monkeypatch, capsys, "--features", 30, "--r2", 0.051, "--rate", 0.065, *timed)
    assert out.startswith("R² 0.051: 30 features need 5143 patients with 692 events (")
    out = run(monkeypatch, capsys, "--units", 100, "--events", 13, "--auc", 0.7, *timed)
    assert out.startswith("Concordance 0.7 (R² 0.055")
    assert "100 patients with 13 events support no feature." in out
    out = run(monkeypatch, capsys, "--ordered", "--features", 25, "--r2", 0.2, "--units", 300)
    assert out.startswith(
        "R² 0.2: 25 features need 918 patients (shrinkage 918, optimism 401, deviation 259); 300 "
        "patients support 9 features.\n"
    )


def test_usual_aucs_if_none_is_expected():
    _, rows = plan_model(Study(features=10, fraction=0.3))
    assert [row.auc for row in rows] == [0.6, 0.7, 0.8, 0.9]
    for row in rows:
        assert row.size == tlpo.development_size(10, auc=row.auc, fraction=0.3)
        assert row.supported is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--features", 5, "--width", 0.2),
            "--width is about the interval of the AUC, not about features.\n"
            "You passed --width 0.2 with a question about features.\n"
            "Leave it out, or ask one question after the other.",
        ),
        (
            ("--r2", 0.2),
            "How many features, or how many patients?\nYou passed neither.\n"
            "For example --features 10, or --units 113 and --events 84.",
        ),
        (
            ("--events", 90, "--units", 80),
            "Some patients must be without the event.\nYou passed --events 90 and --units 80.\n"
            "Pass the number of all patients, with and without the event.",
        ),
        (
            ("--events", 10, "--units", 80, "--share", 0.2),
            "--share follows from the numbers of events and patients.\n"
            "You passed --events 10, --units 80 and --share 0.2.\nLeave one of them out.",
        ),
        (
            ("--events", 4, "--ordered"),
            "A number has no events.\nYou passed --events 4 with --ordered.\n"
            "Pass the number of patients, for example --units 300.",
        ),
        (
            ("--events", 0),
            "--events must be a whole number, at least 1.\nYou passed --events 0.\n"
            "For example --events 1.",
        ),
        (
            ("--features", 5, "--auc", 0.4),
            "--auc must be strictly between 0.5 and 1.\nYou passed --auc 0.4.\n"
            "For example --auc 0.75.",
        ),
    ],
)
def test_impossible_questions_are_refused(arguments, said, monkeypatch, capsys):
    code, out, err = command(monkeypatch, capsys, "plan", *map(str, arguments))
    assert (code, out, err) == (2, "", f"tlpo: {said}\n")
