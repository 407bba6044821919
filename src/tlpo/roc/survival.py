"""Times to an event: Uno's concordance, and the ROC curve and AUC at a horizon.

Whoever is censored early is missing among those who are seen to have the event. Each of the others
stands for ``1/G(T−)`` units, where G is the curve of censoring and T the time of its event: events
come first at their time, so a unit was seen because it was not censored *before* T. With these
weights the cases at a horizon t add up to ``m (1 − S(t))``, exactly. ``G(T)``, which some programs
use, differs where an event and a censoring share a time, and can be 0 there; ``G(T−)`` cannot, so
nothing has to be truncated.

In a jackknife the weights of the games stay as they are. Measured with Cox regression of 40 and 80
units, 40 to 70 % censored (five settings, 600 samples each, ± .007): intervals of 95 % for Uno's C
and two AUCs cover .957 to .997, and with G computed anew without each unit the same, to ± .002, at
the same width, to ± .1 %.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.curve import RocCurve
from tlpo.roc.kaplan_meier import censoring_survival
from tlpo.roc.order import Order


def uno_weights(time: FloatArray, event: BoolArray, tau: float | None = None) -> FloatArray:
    """Return the weight of each unit's games that it should win: ``1/G(T−)²`` (Uno et al. 2011).

    0 for units without the event, and for those whose time is not below ``tau``. `Order.weighted`
    and `concordance_of_scores` take them.

    Examples
    --------
    Who is left after 1 was followed with probability ⅔:

    >>> time, event = np.array([0.5, 1.0, 2.0, 3.0]), np.array([True, False, True, True])
    >>> uno_weights(time, event, tau=3.0)
    array([1.  , 0.  , 2.25, 0.  ])
    """
    counts = event if tau is None else event & (time < tau)
    weight = np.zeros(time.size)
    weight[counts] = censoring_survival(time, event).before(time[counts]) ** -2.0
    return weight


def uno_order(time: FloatArray, event: BoolArray, tau: float | None = None) -> Order | None:
    """Return the ordered pairs with Uno's weights; None if no pair has one."""
    order = Order.of_times(time, event).weighted(uno_weights(time, event, tau))
    return order if order.winner.size else None


class Horizon(NamedTuple):
    """Who had the event by a time, and who was followed beyond it.

    Units that were censored by then are neither; those that were seen stand for them.

    Attributes
    ----------
    cases : ndarray
        Units that had the event at or before the time.
    controls : ndarray
        Units whose time is later.
    case_weight : ndarray
        ``1/G(T−)`` of each case: how many units it stands for.
    control_weight : float
        ``1/G(t)``, the same for every control.
    """

    cases: IntArray
    controls: IntArray
    case_weight: FloatArray
    control_weight: float

    @property
    def share_of_cases(self) -> float:
        """How many have had the event by then: ``1 − S(t)`` of Kaplan and Meier."""
        cases = float(self.case_weight.sum())
        return cases / (cases + self.controls.size * self.control_weight)


def horizon(time: FloatArray, event: BoolArray, t: float) -> Horizon | None:
    """Return cases and controls at time t; None if there are no cases or no controls.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, True, False])
    >>> horizon(time, event, 2.5)
    Horizon(cases=array([1]), controls=array([2, 3]), case_weight=array([1.333...]),
            control_weight=1.333...)
    """
    cases, controls = np.flatnonzero(event & (time <= t)), np.flatnonzero(time > t)
    if not (cases.size and controls.size):
        return None
    G = censoring_survival(time, event)
    return Horizon(cases, controls, 1 / G.before(time[cases]), float(1 / G.at(np.array(t))))


def order_at(time: FloatArray, event: BoolArray, t: float) -> Order | None:
    """Return the games of cases at time t with controls; None if there are no such games.

    Each has the weight of its case: that of controls is the same in all of them.
    """
    found = horizon(time, event, t)
    if found is None:
        return None
    n_cases, n_controls = found.cases.size, found.controls.size
    return Order(
        np.repeat(found.cases, n_controls),
        np.tile(found.controls, n_cases),
        time.size,
        np.repeat(found.case_weight, n_controls),
    )


def auc_at(scores: FloatArray, time: FloatArray, event: BoolArray, t: float) -> float:
    """Return how often a case at time t outscores a control, ties counting half.

    Cases are weighted (Uno et al. 2007; Hung and Chiang 2010). NaN if there are no cases or no
    controls, or if a score of theirs is NaN.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, False])
    >>> auc_at(np.array([0.9, 0.2, 0.4, 0.2]), time, event, 2.0)
    0.625
    """
    found = horizon(time, event, t)
    if found is None:
        return float("nan")
    own, others = scores[found.cases], np.sort(scores[found.controls])
    if np.isnan(own).any() or np.isnan(others[-1]):
        return float("nan")
    twice = np.searchsorted(others, own, side="left") + np.searchsorted(others, own, side="right")
    return float(found.case_weight @ twice / (2 * found.case_weight.sum() * others.size))


def roc_curve_at(
    scores: FloatArray, time: FloatArray, event: BoolArray, t: float
) -> RocCurve | None:
    """Compute the ROC curve at time t with the criterion "score > threshold".

    The true positive rate is the weighted share of cases; that of controls needs no weights.
    `curve.sensitivity_at` reads it. None if there are no cases or no controls.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, False])
    >>> curve = roc_curve_at(np.array([0.9, 0.2, 0.4, 0.2]), time, event, 2.0)
    >>> curve.thresholds
    array([ 0.9,  0.4,  0.2, -inf])
    >>> curve.tpr, curve.fpr
    (array([0. , 0.5, 0.5, 1. ]), array([0. , 0. , 0.5, 1. ]))
    """
    found = horizon(time, event, t)
    if found is None:
        return None
    counted = np.concatenate([found.cases, found.controls])
    values, place = np.unique(-scores[counted], return_inverse=True)
    own, others = np.split(place, [found.cases.size])
    true = np.cumsum(np.bincount(own, found.case_weight, values.size))
    false = np.cumsum(np.bincount(others, minlength=values.size))
    return RocCurve(
        fpr=np.concatenate([[0.0], false / false[-1]]),
        tpr=np.concatenate([[0.0], true / true[-1]]),
        thresholds=np.concatenate([-values, [-np.inf]]),
    )
