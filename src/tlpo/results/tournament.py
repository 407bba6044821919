"""A finished tournament, and the ROC analysis of its scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.checks import RandomState
from tlpo.games.response import Link, outcomes
from tlpo.results.curves import CurveChoice, choose_curve
from tlpo.results.games import GamesResult
from tlpo.results.held_out import HeldOut, find_cutoffs, held_out_scores
from tlpo.results.intervals import Interval, add_limits, auc_interval, rate_factor
from tlpo.results.points import pick_point, require_one_way
from tlpo.results.probabilities import Probabilities, held_out_probabilities
from tlpo.results.readings import CurveWithLimits
from tlpo.results.rounds import Rounds
from tlpo.results.subgroups import tabulate_subgroups
from tlpo.roc.curve import RocCurve, wmw_auc
from tlpo.roc.evidence import GameEvidence, measure_drawn, measure_games
from tlpo.roc.methods import DEFAULT
from tlpo.roc.placements import Placements, placements_of_scores
from tlpo.roc.pooled import anchor, pooled_curve
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Tournament(GamesResult, CurveWithLimits):
    """A finished tournament and the ROC analysis of its scores. `tournament` plays it.

    Attributes
    ----------
    standings : Standings
        ``standings.wins``: wins of each unit against negatives and against positives.
    labels : Classes
        Class of every unit, as ``labels.is_positive``.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Games played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.
    rounds : Rounds or None
        What playing only some rounds does to the AUCs; None if every pair met.

    Notes
    -----
    With the scores S of `tournament`::

        tlpo_auc            = Σ_{i∈I+} Σ_{j∈I-} H(S(i) − S(j)) / (m+ m-)
        circular_triads  c  = m(m − 1)(2m − 1)/12 − ½ Σ_i S(i)²
        consistency      ξ  = 1 − c/c_max,   c_max = (m³ − m)/24 for odd m,
                                                     (m³ − 4m)/24 for even m

    Examples
    --------
    Texture and smoothness of forty tumours:

    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240, [1, 4]], y[200:240] == 0
    >>> t = tlpo.tournament(tlpo.RLS(), X, malignant)
    >>> t
    Tournament of 40 units, 19 positive (True) and 21 negative (False)
      estimator    RLS
      AUC          0.7419 (0.5... to 0.8..., 95 % interval; leave-pair-out)
      curve        tournament, no games tie
      consistency  ξ = 1.000 (0 circular triads, 0 ties)
      played       780 games, 1 fit, ..., engine least-squares
    >>> low, high = t.auc_interval()
    >>> f"AUC {t.auc:.2f} ({low:.2f} to {high:.2f})"
    'AUC 0.74 (0.56 to 0.86)'
    >>> round(t.sensitivity_at(specificity=0.8), 2)
    0.42
    """

    rounds: Rounds | None = None
    _asked_curve: str = "auto"
    _link: Link | str = "it is not known whether its predictions are probabilities"

    @property
    def auc(self) -> float:
        """The AUC to report: leave-pair-out, the share of opposite-class games the positive won.

        Unbiased for every learner, because a game is decided by one model that was trained on
        neither unit. `tlpo_auc` is the area of the tournament's curve.
        """
        return self.lpo_auc

    @property
    def tlpo_auc(self) -> float:
        """Area under the curve of the tournament scores.

        Close to `auc` if games do not tie; biased where they do (docs/ties.md).
        """
        return wmw_auc(*self._rated())

    @cached_property
    def curve(self) -> CurveChoice:
        """Which curve `roc_curve` and all readings are taken from; ``curve.why`` says why.

        ``"tournament"``, that of the scores, or ``"leave-pair-out"``, that of the pooled
        predictions of opposite-class games, anchored to `auc`, where games tie.
        """
        return choose_curve(self)

    def roc_curve(self) -> RocCurve:
        """Return ``fpr, tpr, thresholds`` of the `curve` chosen.

        On the tournament's curve a unit is positive when its score > threshold, on the
        leave-pair-out curve when a held-out prediction for it > threshold.

        Examples
        --------
        >>> import tlpo
        >>> t = tlpo.tournament(tlpo.RLS(), [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1])
        >>> fpr, tpr, thresholds = t.roc_curve()
        >>> for row in zip(fpr, tpr, thresholds, strict=True):
        ...     print("FPR {:.2f}, TPR {:.2f} if score > {:g}".format(*row))
        FPR 0.00, TPR 0.00 if score > 5
        FPR 0.00, TPR 0.33 if score > 4
        FPR 0.00, TPR 0.67 if score > 3
        FPR 0.33, TPR 0.67 if score > 2
        FPR 0.33, TPR 1.00 if score > 1
        FPR 0.67, TPR 1.00 if score > 0
        FPR 1.00, TPR 1.00 if score > -inf
        """
        return super().roc_curve() if self.curve == "tournament" else self._pooled_curve

    @cached_property
    def _pooled_curve(self) -> RocCurve:
        assert self.predictions is not None
        return anchor(pooled_curve(self.predictions, self.labels.is_positive), self.auc)

    @property
    def scores(self) -> FloatArray:
        """Tournament score of each unit: the number of games it won, ties counting half.

        Where games are missing, the share of its games that it won, times m − 1.
        """
        return self.standings.scores

    @cached_property
    def predictions(self) -> FloatArray | None:
        """Table ``F[i, j]``: what the model trained without i and j predicts for i.

        None if it was not kept: not wanted, or too large and not requested; or if predictions of
        different models cannot be compared (`from_predictions`).
        """
        return self._table.full() if self._table is not None and self._are_comparable else None

    @cached_property
    def held_out(self) -> HeldOut | None:
        """Mean held-out score of every unit, on the scale that a new unit gets.

        Probabilities if the model gives them (`probabilities`), otherwise its responses. None if
        held-out predictions were not kept.
        """
        return held_out_scores(self)

    @cached_property
    def probabilities(self) -> Probabilities:
        """Held-out probabilities, with calibration, Brier score and net benefit.

        Those of opposite-class games, all from models that were trained on equal class counts; the
        shift from the share of positives in training to that of all units is undone (not the one
        that ``exclude`` causes). Classifiers that are ranked by probabilities have them, and so
        have those whose ``decision_function`` is the log odds: logistic regression, discriminant
        analysis, boosting with log loss.

        Raises
        ------
        InputError
            If the model gives none, such as ridge regression and support vector machines, or if
            held-out predictions were not kept.
        """
        return held_out_probabilities(self)

    def win_matrix(self) -> FloatArray | None:
        """Return every game: 1, ½ or 0 if the row's unit beat the column's; NaN if not played.

        None if held-out predictions were not kept.

        Examples
        --------
        >>> import tlpo
        >>> X, y = [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1]
        >>> tlpo.tournament(tlpo.RLS(), X, y).win_matrix()
        array([[nan,  0.,  0.,  0.,  0.,  0.],
               [ 1., nan,  0.,  0.,  0.,  0.],
               [ 1.,  1., nan,  1.,  0.,  0.],
               [ 1.,  1.,  0., nan,  0.,  0.],
               [ 1.,  1.,  1.,  1., nan,  0.],
               [ 1.,  1.,  1.,  1.,  1., nan]])
        """
        every_unit = np.ones(self.labels.n_units, dtype=bool)
        return self._games_between(every_unit, every_unit)

    @property
    def consistency(self) -> float:
        """Coefficient of consistency ξ: 1 without circular triads, 0 with as many as possible.

        A tied game counts as half a win for each unit, so many ties lower ξ although
        nothing is contradictory: read it together with `n_ties`. NaN if games are missing.
        """
        return self.standings.consistency

    @property
    def circular_triads(self) -> float:
        """Number of triples in which a beat b, b beat c and c beat a."""
        return self.standings.circular_triads

    @refuse_foreign_arguments
    def auc_interval(
        self,
        confidence_level: float = 0.95,
        method: str = DEFAULT,
        *,
        n_resamples: int = 2000,
        random_state: RandomState = None,
    ) -> Interval:
        """Return an interval for the AUC of the model trained on all units, about `auc`.

        Parameters
        ----------
        confidence_level : float
            How often the interval should contain the true AUC.
        method : str
            ``"placement-jackknife"``, the only one here whose coverage holds at any size
            (that of a 95 % interval: docs/inference.md). In samples too large for the table of
            predictions, the jackknife is estimated from units drawn at random, always the same
            ones; ``width_error`` says how much the draw leaves open. Where that is not possible
            (``predictions=False``, or a large sample of a model that is refitted), and with
            ``rounds``, it is replaced by ``"inflated"``, the same with φ = 2, which is a guess
            (95 % intervals covered 90 % for nearly saturated least squares), and says so. With
            ``rounds`` the variance that the draw adds is then included.
            The others are for comparison, and cover less than their level says:
            ``"newcombe"`` (φ = 1), ``"delong"``, ``"delong-logit"``, ``"hanley-mcneil"``,
            ``"bootstrap"`` (of the games, not of the models).
        n_resamples, random_state
            Of the bootstrap.

        Notes
        -----
        ``V_place`` is DeLong's variance of the games, which takes the models as fixed; ``V_jack``
        the jackknife over units, which exaggerates how they change. Limits are the θ on either side
        with::

            (auc − θ)² = z² φ V(θ),   φ = max(1, √(V_place V_jack) / V(auc))
            V(θ) = θ(1 − θ) [1 + N(1 − θ)/(2 − θ) + Nθ/(1 + θ)] / (m+ m-),   N = m/2 − 1

        V is Newcombe's variance of independent scores; z the normal quantile or, with ten or fewer
        units in a class, Student's.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> y = np.arange(40) % 2
        >>> X = np.random.default_rng(3).normal(size=(40, 5)) + 0.6 * y[:, None]
        >>> t = tlpo.tournament(tlpo.RLS(), X, y)
        >>> t.auc_interval()
        AUC: 0.7600, 95 % interval 0.5418 to 0.8884
          method     placement-jackknife
          quantile   normal
          φ          1.463
          variances  placement 0.00584, jackknife 0.0126
        >>> low, high = t.auc_interval(method="delong")
        >>> round(low, 4), round(high, 4)
        (0.6102, 0.9098)
        """
        return auc_interval(self, confidence_level, method, n_resamples, random_state)

    def _rate_factor(self, confidence_level: float) -> tuple[float, float]:
        """Return the squared quantile times φ of `auc_interval`, and φ.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> y = np.arange(40) % 2
        >>> X = np.random.default_rng(3).normal(size=(40, 5)) + 0.6 * y[:, None]
        >>> factor, phi = tlpo.tournament(tlpo.RLS(), X, y)._rate_factor(0.95)
        >>> round(phi, 3), round((factor / phi) ** 0.5, 2)
        (1.463, 1.96)
        """
        return rate_factor(self, confidence_level)

    @property
    def _has_few_points(self) -> bool:
        return self.curve == "leave-pair-out"

    @refuse_foreign_arguments
    def operating_points(
        self, prevalence: float | None = None, confidence_level: float | None = None
    ) -> pd.DataFrame:
        """Tabulate what every threshold means.

        Parameters
        ----------
        prevalence : float, optional
            Share of positives where the test will be used, which PPV and NPV refer to; that of
            the sample by default.
        confidence_level : float, optional
            Adds limits, ``…_low`` and ``…_high``, to sensitivity, specificity, predictive
            values and likelihood ratios. They account for a cut-off that was chosen on these
            units, as all cut-offs of a tournament are.

        Returns
        -------
        pandas.DataFrame
            One row per threshold (criterion "score > threshold", or "prediction > threshold" on
            the leave-pair-out curve) with sensitivity, specificity, PPV, NPV, likelihood ratios,
            Youden's index and, on the tournament's curve, counts of units. Wins are of no use for
            a new unit, which has played nobody: the model fitted to all units calls it positive
            above ``cutoff`` (`held_out`), which calls as many of these units positive. NaN if
            held-out predictions were not kept.

        Examples
        --------
        What a score above each threshold means where 10 % are ill:

        >>> import tlpo
        >>> X, ill = [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1]
        >>> points = tlpo.tournament(tlpo.RLS(), X, ill).operating_points(prevalence=0.1)
        >>> print(points[["criterion", "cutoff", "sensitivity", "specificity", "ppv"]].round(2))
              criterion  cutoff  sensitivity  specificity   ppv
        0     score > 5     inf         0.00         1.00   NaN
        1     score > 4    0.72         0.33         1.00  1.00
        2     score > 3    0.51         0.67         1.00  1.00
        3     score > 2    0.21         0.67         0.67  0.18
        4     score > 1   -0.14         1.00         0.67  0.25
        5     score > 0   -0.35         1.00         0.33  0.14
        6  score > -inf    -inf         1.00         0.00  0.10
        """
        table = super().operating_points(prevalence)
        table.insert(2, "cutoff", find_cutoffs(self, table))
        if self.curve != "tournament":
            # Shares of games, shifted: there are no counts of units.
            table = table.drop(columns=["tp", "fp", "fn", "tn"])
        if confidence_level is None:
            return table
        return add_limits(self, table, prevalence, confidence_level, chosen=True)

    def operating_point(
        self,
        rule: str | None = None,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        prevalence: float | None = None,
        confidence_level: float | None = 0.95,
    ) -> pd.Series:
        """Return one row of `operating_points`.

        Parameters
        ----------
        rule : {"youden", "closest"}, optional
            The largest sensitivity + specificity, or the point closest to (0, 1).
        sensitivity, specificity : float, optional
            The best point with at least this sensitivity or specificity.
        prevalence, confidence_level
            As in `operating_points`.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> import tlpo
        >>> ill = np.arange(50) % 2 == 1
        >>> X = np.random.default_rng(0).normal(size=(50, 2)) + ill[:, None]
        >>> t = tlpo.tournament(LogisticRegression(), X, ill)
        >>> point = t.operating_point(specificity=0.8)
        >>> f"positive if {t.held_out.scale} > {point['cutoff']:.2f}"
        'positive if probability > 0.44'
        """
        require_one_way(rule, sensitivity=sensitivity, specificity=specificity)
        table = self.operating_points(prevalence, confidence_level)
        return table.iloc[pick_point(table, rule, sensitivity, specificity)]

    @refuse_foreign_arguments
    def by(self, group: Any, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Tabulate the AUC within subgroups, from the games that were played.

        Models were trained on all units, and only units of the same subgroup are compared.

        Parameters
        ----------
        group : array-like of shape (m,)
            Subgroup of each unit; units with a missing value form one of their own.
        confidence_level : float
            Of the intervals, which are computed as in `auc_interval`.

        Returns
        -------
        pandas.DataFrame
            One row per subgroup: units of either class, AUC (leave-pair-out) with limits, TLPO
            AUC, φ, and a note where it is too small to tell.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> y = np.arange(60) % 2
        >>> X = np.random.default_rng(0).normal(size=(60, 3)) + 0.8 * y[:, None]
        >>> sex = np.repeat(["men", "women"], [36, 24])
        >>> table = tlpo.tournament(tlpo.RLS(), X, y).by(sex)
        >>> print(table[["positives", "negatives", "auc", "low", "high"]].round(2))
                  positives  negatives   auc   low  high
        subgroup
        men              18         18  0.79  0.60   0.9
        women            12         12  0.76  0.52   0.9
        """
        return tabulate_subgroups(self, group, confidence_level)

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: label, score, rank, wins against either class.

        Examples
        --------
        >>> import tlpo
        >>> t = tlpo.tournament(tlpo.RLS(), [[1], [2], [5], [4], [7], [8]], list("aaabbb"))
        >>> print(t.to_frame().drop(columns=["label", "positive"]))
              score  rank  wins_against_negatives  wins_against_positives
        unit
        0       0.0   6.0                     0.0                     0.0
        1       1.0   5.0                     1.0                     0.0
        2       3.0   3.0                     2.0                     1.0
        3       2.0   4.0                     2.0                     0.0
        4       4.0   2.0                     3.0                     1.0
        5       5.0   1.0                     3.0                     2.0
        """
        frame = super().to_frame()
        frame["wins_against_negatives"] = self.standings.wins[:, 0]
        frame["wins_against_positives"] = self.standings.wins[:, 1]
        return frame

    # --- what intervals, comparisons and subgroups are computed from

    @property
    def _compared(self) -> str:
        return "score" if self.curve == "tournament" else "prediction"

    @cached_property
    def _evidence(self) -> GameEvidence:
        """What the games say about the AUC."""
        is_positive = self.labels.is_positive
        U = self._games_between(is_positive, ~is_positive)
        if U is not None and self.predictions is not None:
            halves = self._halves_between(is_positive, ~is_positive)
            return measure_games(U, self.predictions, is_positive, self.groups, halves=halves)
        return measure_drawn(self.lpo_auc, self._placements, is_positive, self._drawn)

    @property
    def _score_placements(self) -> Placements:
        """Placements of the tournament scores; NaN for units that could not be ranked."""
        scores, is_positive = self.scores, self.labels.is_positive
        rated = ~np.isnan(scores)
        placed = placements_of_scores(scores[rated], is_positive[rated])
        full = []
        for kind, values in ((True, placed.positive), (False, placed.negative)):
            own = np.full(np.count_nonzero(is_positive == kind), np.nan)
            own[rated[is_positive == kind]] = values
            full.append(own)
        return Placements(full[0], full[1], self._by_class)

    def _games_between(self, positives: BoolArray, negatives: BoolArray) -> FloatArray | None:
        """Return the games between two sets of units, if held-out predictions were kept.

        Examples
        --------
        Every positive against every negative; the mean is the AUC:

        >>> import tlpo
        >>> t = tlpo.tournament(tlpo.RLS(), [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1])
        >>> positive = t.labels.is_positive
        >>> games = t._games_between(positive, ~positive)
        >>> games
        array([[1., 1., 0.],
               [1., 1., 1.],
               [1., 1., 1.]])
        >>> float(games.mean()) == t.auc
        True
        """
        if self._table is None:
            return None
        F = self._table.full()
        between = np.ix_(positives, negatives)
        return outcomes(F[between], F.T[between], self._table.ceiling)

    def _halves_between(
        self, positives: BoolArray, negatives: BoolArray
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Return such games, and the held-out predictions, of either half of an ensemble."""
        if self._table is None or self._table.halves is None:
            return []
        between, top = np.ix_(positives, negatives), self._table.ceiling
        return [(outcomes(F[between], F.T[between], top), F) for F in self._table.halves]

    def _short_interval(self) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the interval itself says how it was computed
            return f"{self.auc_interval().short}; "

    def _title(self) -> str:
        return f"Tournament of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        m = self.labels.n_units
        rows = [
            ("estimator", self.estimator_name),
            ("AUC", f"{self.auc:.4f} ({self._short_interval()}leave-pair-out)"),
            ("curve", f"{self.curve}, {self.curve.why}"),
            ("consistency", self._consistency_row()),
        ]
        if self.rounds is None:
            return [*rows, ("played", self._played(m * (m - 1) // 2))]
        r = self.rounds.opponents
        return [
            *rows,
            ("rounds", f"every unit met {r} of {m - 1} others; {self.rounds}"),
            ("played", self._played(m * r // 2)),
        ]
