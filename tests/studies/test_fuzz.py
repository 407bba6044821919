"""Random tables are the same for the same number, and a difference is noticed."""

from collections import defaultdict

import numpy as np

from studies import fuzz
from tlpo import multiclass, tournament

# Small tables of which games are compared: naive Bayes, and neighbours behind a scaler.
SMALL = (275, 301)


def test_a_number_makes_the_same_table():
    for number in range(5):
        one, other = fuzz.draw_table(number), fuzz.draw_table(number)
        assert repr(one[0]) == repr(other[0])
        np.testing.assert_array_equal(np.asarray(one[1], str), np.asarray(other[1], str))
        np.testing.assert_array_equal(one[2], other[2])


def test_games_are_compared(monkeypatch, capsys):
    counts = defaultdict(fuzz.Count)
    assert all(fuzz.compare(number, counts) for number in SMALL)
    assert sum(count.tables for count in counts.values()) == 2
    played = [name for name, _ in counts if name not in ("refit", "cannot be fitted")]
    assert played
    assert f"| {played[0]} |" in fuzz.report(counts)
    assert not capsys.readouterr().out

    def reversed_unless_refitted(estimator, X, y, engine="auto", **options):
        return tournament(estimator, X, y if engine == "refit" else 1 - y, engine=engine, **options)

    monkeypatch.setattr(fuzz, "tournament", reversed_unless_refitted)
    counts = defaultdict(fuzz.Count)
    alike = [fuzz.compare(number, counts) for number in SMALL]
    assert not all(alike)
    assert sum(count.different for count in counts.values()) > 0
    assert "pairs differ, games" in capsys.readouterr().out


# Ridge classification, and sets held out from naive Bayes.
SEVERAL = (86, 83)


def test_games_of_several_classes_are_compared(monkeypatch, capsys):
    counts = defaultdict(fuzz.Count)
    assert all(fuzz.compare(number, counts, several=True) for number in SEVERAL)
    played = {name for name, _ in counts} - {"refit", "cannot be fitted"}
    assert played == {"least-squares", "bayes"}
    assert not capsys.readouterr().out

    def turned_unless_refitted(estimator, X, y, engine="auto", **options):
        y = y if engine == "refit" else y.max() - y
        return multiclass(estimator, X, y, engine=engine, **options)

    monkeypatch.setattr(fuzz, "multiclass", turned_unless_refitted)
    counts = defaultdict(fuzz.Count)
    assert not all(fuzz.compare(number, counts, several=True) for number in SEVERAL)
    assert "pairs differ, games" in capsys.readouterr().out
