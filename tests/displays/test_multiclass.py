"""Pictures of several classes: what they draw is what was computed, and nothing lies on another."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

import tlpo

LONG = "carcinoma of the left upper lobe, {}"


@pytest.fixture(scope="module")
def played():
    X, y = load_wine(return_X_y=True)
    return tlpo.multiclass(GaussianNB(), X[::6, [0, 2, 9]], np.array(["$a$", "b", "c"])[y[::6]])


def drawn(n_classes, name=LONG.format):
    code = np.repeat(np.arange(n_classes), 4)
    X = np.random.default_rng(0).normal(size=(code.size, 3)) + code[:, None] % 4
    y = np.array([name(k) for k in range(n_classes)])[code]
    return tlpo.multiclass(tlpo.RLS(), X, y).plot()


def test_every_pair_is_written_once_and_every_class_has_a_curve(played):
    display = played.plot()
    matrix, curves = display.axes_
    names = played.outcome.names
    expected = {}
    for a, b in combinations(range(3), 2):
        auc = played.pairs.loc[(names[a], names[b]), "auc"]
        expected[a, b - 1] = f"{auc:.3f}"
    assert {text.get_position(): text.get_text() for text in matrix.texts} == expected
    assert [label.get_text() for label in matrix.get_xticklabels()] == [r"\$a\$", "b"]
    assert [label.get_text() for label in matrix.get_yticklabels()] == ["b", "c"]
    assert matrix.get_title() == f"AUC of each pair of classes (M = {played.auc:.3f})"
    lines = curves.get_lines()[1:]
    for line, (name, one) in zip(lines, played.one_vs_rest.items(), strict=True):
        curve = one.roc_curve()
        assert line.get_xdata().tolist() == curve.fpr.tolist()
        assert line.get_ydata().tolist() == curve.tpr.tolist()
        assert line.get_label() == f"{name} ({one.auc:.3f})".replace("$", r"\$")


def test_the_frame_has_the_points_of_the_curves(played):
    frame = played.plot().frame()
    assert frame.columns.tolist() == ["class", "fpr", "tpr", "thresholds"]
    for name, one in played.one_vs_rest.items():
        own = frame[frame["class"] == name]
        assert own["tpr"].tolist() == one.roc_curve().tpr.tolist()


def overlapping(artists):
    """Pairs of artists one of which lies on the other, by their corners in the picture."""
    corners = [artist.get_window_extent() for artist in artists]
    return [
        (a, b) for a, b in combinations(range(len(corners)), 2) if corners[a].overlaps(corners[b])
    ]


@pytest.mark.parametrize("n_classes", [2, 3, 6, 7, 10])
def test_nothing_overlaps(n_classes):
    display = drawn(n_classes)
    matrix, curves = display.axes_
    display.figure_.canvas.draw()
    legend = curves.get_legend()
    assert not overlapping(matrix.texts)
    assert not overlapping(matrix.get_yticklabels())
    assert not overlapping([matrix, curves])
    assert not overlapping([curves.yaxis.label, matrix])
    if n_classes > 6:
        assert not overlapping([curves, legend])
    whole = display.figure_.bbox
    for artist in (legend, *matrix.get_yticklabels(), *matrix.get_xticklabels()):
        box = artist.get_window_extent()
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
        assert whole.y0 <= box.y0


def test_ten_curves_look_different():
    lines = drawn(10).axes_[1].get_lines()[1:]
    patterns = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}
    assert len(patterns) == 10


def test_long_names_keep_both_ends():
    display = drawn(3)
    shown = [label.get_text() for label in display.axes_[0].get_yticklabels()]
    assert shown == ["carcinoma of…r lobe, 1", "carcinoma of…r lobe, 2"]
    short = drawn(3, str).axes_[0].get_xticklabels()
    assert [label.get_rotation() for label in short] == [0.0, 0.0]
    assert {label.get_rotation() for label in drawn(7).axes_[0].get_xticklabels()} == {35.0}


@pytest.mark.parametrize("n_classes", [3, 10])
def test_either_picture_alone_has_room(n_classes):
    display = drawn(n_classes)
    for plot, size in (
        (display.plot_matrix, display.matrix_size),
        (display.plot_curves, display.curves_size),
    ):
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        plot(ax)
        figure.canvas.draw()
        inside, whole = ax.get_tightbbox(), figure.bbox
        assert whole.x0 <= inside.x0 < inside.x1 <= whole.x1
        assert whole.y0 <= inside.y0 < inside.y1 <= whole.y1
