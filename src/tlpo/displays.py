"""Plots of results. Constructors compute, ``plot`` draws, ``frame`` returns the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, explain
from tlpo.results.intervals import RocBand
from tlpo.results.probabilities import THRESHOLDS, Probabilities
from tlpo.results.ranking import Ranking
from tlpo.results.readings import Readings
from tlpo.results.tournament import Tournament
from tlpo.roc.calibration import CalibrationCurve
from tlpo.roc.curve import RocCurve, sensitivity_at

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito's colours, which colour-blind readers can distinguish; dashes for grey print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Five, so that pairs of colour and dash repeat only after thirty curves.
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
# With longer names or more curves the legend goes below the axes.
SHORT_NAME, FEW_CURVES = 28, 3


@dataclass(eq=False, repr=False)
class RocDisplay:
    """One or several ROC curves.

    Attributes
    ----------
    curves : dict of str to RocCurve
        Curves by name.
    aucs : dict of str to float
        AUC of each curve, for the legend.
    bands : dict of str to RocBand
        Pointwise limits, for curves that have them.
    specificity : float or None
        Where to mark the operating point of every curve.
    figure_, ax_, lines_, bands_, chance_
        What `plot` drew.
    """

    curves: dict[str, RocCurve]
    aucs: dict[str, float]
    bands: dict[str, RocBand] = field(default_factory=dict)
    specificity: float | None = None

    figure_: Any = None
    ax_: Any = None
    lines_: Any = None
    bands_: Any = None
    chance_: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        name: str | None = None,
        confidence_level: float | None = 0.95,
        specificity: float | None = None,
        **options: Any,
    ) -> RocDisplay:
        """Play the tournament of an estimator and draw its curve.

        Other options are those of `tlpo.tournament`. Whoever needs the tournament for more than
        this picture plays it once and passes it to `from_result`.
        """
        from tlpo.schemes.tournament import tournament

        return cls.from_result(
            tournament(estimator, X, y, **options),
            name=name,
            confidence_level=confidence_level,
            specificity=specificity,
        ).plot()

    @classmethod
    def from_result(
        cls,
        result: Ranking,
        *,
        name: str | None = None,
        confidence_level: float | None = 0.95,
        specificity: float | None = None,
    ) -> RocDisplay:
        """Show one result, with a band if it is a tournament and ``confidence_level`` not None.

        ``name`` is that of the estimator by default; ``specificity`` marks the operating point
        with at least this specificity.
        """
        if name is None:
            name = getattr(result, "estimator_name", "ROC")
        return cls.from_results(
            {name: result}, confidence_level=confidence_level, specificity=specificity
        )

    @classmethod
    def from_results(
        cls,
        results: Mapping[str, Ranking],
        *,
        confidence_level: float | None = None,
        specificity: float | None = None,
    ) -> RocDisplay:
        """Show several results by name; bands of a confidence level, for those that have them."""
        return cls(
            curves={name: result.roc_curve() for name, result in results.items()},
            aucs={name: result.auc for name, result in results.items()},
            bands={
                name: result.roc_band(confidence_level)
                for name, result in results.items()
                if isinstance(result, Readings) and confidence_level is not None
            },
            specificity=specificity,
        )

    def __repr__(self) -> str:
        curves = (f"{name}, AUC {self.aucs[name]:.3f}" for name in self.curves)
        return f"RocDisplay({'; '.join(curves)})"

    def plot(self, ax: Any = None) -> RocDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = _axes(ax, (4.2, 4.2))
        (self.chance_,) = ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, label="chance")
        self.lines_, self.bands_ = [], []
        for k, (name, curve) in enumerate(self.curves.items()):
            (line,) = ax.plot(
                curve.fpr,
                curve.tpr,
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                linewidth=1.6,
                label=plain_text(fill(f"{name} (AUC {self.aucs[name]:.3f})", 56)),
            )
            self.lines_.append(line)
            if self.specificity is not None:
                point = sensitivity_at(curve, self.specificity)
                at = curve.fpr[(curve.tpr == point) & (curve.fpr <= 1 - self.specificity + 1e-9)]
                ax.plot(at.min(), point, "o", color=line.get_color(), markersize=6, zorder=4)
            if name in self.bands:
                band = self.bands[name]
                shade = ax.fill_between(
                    band.fpr,
                    band.low,
                    band.high,
                    color=COLOURS[k % len(COLOURS)],
                    alpha=0.15,
                    linewidth=0,
                    label=f"{100 * band.confidence_level:.4g}% limits, pointwise",
                )
                self.bands_.append(shade)
        ax.set(
            xlabel="1 − specificity",
            ylabel="sensitivity",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            aspect="equal",
        )
        ax.spines[["top", "right"]].set_visible(False)
        handles = [*self.lines_, *self.bands_[:1], self.chance_]
        inside = len(self.curves) <= FEW_CURVES and all(len(n) <= SHORT_NAME for n in self.curves)
        where: dict[str, Any] = {"loc": "lower right"}
        if not inside:
            where = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
        ax.legend(handles=handles, frameon=False, fontsize="small", **where)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the numbers behind the plot: points of curves, then limits of bands."""
        import pandas as pd

        parts = [
            pd.DataFrame({"curve": np.full(curve.fpr.size, name), **curve._asdict()})
            for name, curve in self.curves.items()
        ]
        parts += [
            pd.DataFrame({"curve": name, "fpr": band.fpr, "low": band.low, "high": band.high})
            for name, band in self.bands.items()
        ]
        return pd.concat(parts, ignore_index=True)


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay:
    """Precision against recall, with the prevalence as the baseline.

    Attributes
    ----------
    curves : dict of str to (recall, precision)
        Curves by name.
    averages : dict of str to float
        Average precision of each, for the legend.
    prevalence : float
        The precision of a useless test, drawn as a line.
    figure_, ax_, lines_, baseline_
        What `plot` drew.
    """

    curves: dict[str, tuple[FloatArray, FloatArray]]
    averages: dict[str, float]
    prevalence: float

    figure_: Any = None
    ax_: Any = None
    lines_: Any = None
    baseline_: Any = None

    @classmethod
    def from_result(
        cls, result: Readings, *, prevalence: float, name: str | None = None
    ) -> PrecisionRecallDisplay:
        """Show one result, at a prevalence."""
        if name is None:
            name = getattr(result, "estimator_name", "score")
        return cls.from_results({name: result}, prevalence=prevalence)

    @classmethod
    def from_results(
        cls, results: Mapping[str, Readings], *, prevalence: float
    ) -> PrecisionRecallDisplay:
        """Show tournaments or fixed scores by name, at one prevalence."""
        found = {name: one.precision_recall(prevalence) for name, one in results.items()}
        return cls(
            curves={name: (pr.recall, pr.precision) for name, pr in found.items()},
            averages={name: pr.average_precision for name, pr in found.items()},
            prevalence=float(prevalence),
        )

    def __repr__(self) -> str:
        curves = (f"{name}, average {value:.3f}" for name, value in self.averages.items())
        return f"PrecisionRecallDisplay({'; '.join(curves)})"

    def plot(self, ax: Any = None) -> PrecisionRecallDisplay:
        """Draw the curves as steps, which is how their average is computed."""
        ax = _axes(ax, (4.2, 4.0))
        label = f"useless test (prevalence {self.prevalence:.3g})"
        self.baseline_ = ax.axhline(self.prevalence, color="0.7", linewidth=0.8, label=label)
        self.lines_ = []
        for k, (name, (recall, precision)) in enumerate(self.curves.items()):
            (line,) = ax.step(
                np.concatenate([[0.0], recall]),
                np.concatenate([precision[:1], precision]),
                color=COLOURS[k % len(COLOURS)],
                linestyle=DASHES[k % len(DASHES)],
                linewidth=1.6,
                label=plain_text(fill(f"{name} (average {self.averages[name]:.3f})", 56)),
            )
            self.lines_.append(line)
        ax.set(
            xlabel="recall (sensitivity)",
            ylabel="precision (PPV)",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the points of the curves."""
        import pandas as pd

        parts = [
            pd.DataFrame({"curve": name, "recall": recall, "precision": precision})
            for name, (recall, precision) in self.curves.items()
        ]
        return pd.concat(parts, ignore_index=True)


@dataclass(eq=False, repr=False)
class TournamentDisplay:
    """The win matrix, with units sorted by score.

    Attributes
    ----------
    games : ndarray of shape (m, m)
        1, ½ or 0: the row's unit against the column's; best unit first. NaN: not played.
    is_positive : ndarray of shape (m,)
        Class of each row.
    names : list
        Name of each row's unit.
    consistency : float
        ξ of the tournament.
    figure_, ax_, image_
        What `plot` drew.
    """

    games: FloatArray
    is_positive: BoolArray
    names: list[Any]
    consistency: float

    figure_: Any = None
    ax_: Any = None
    image_: Any = None

    @classmethod
    def from_result(cls, tournament: Tournament) -> TournamentDisplay:
        """Show the games of a tournament that kept its predictions."""
        games = tournament.win_matrix()
        if games is None:
            raise InputError(
                explain(
                    "The games were not kept.",
                    f"You passed a tournament of {tournament.labels.n_units} units without "
                    "predictions.",
                    "Play with predictions=True.",
                )
            )
        labels = tournament.labels
        return cls.from_games(
            games, tournament.scores, labels.is_positive, tournament.consistency, labels.unit_names
        )

    @classmethod
    def from_games(
        cls,
        games: FloatArray,
        scores: FloatArray,
        is_positive: BoolArray,
        consistency: float,
        names: Any = None,
    ) -> TournamentDisplay:
        """Show a win matrix whose units are in any order; names are numbers by default."""
        order = np.argsort(-np.nan_to_num(scores, nan=-1.0), kind="stable")
        return cls(
            games=games[np.ix_(order, order)],
            is_positive=is_positive[order],
            names=[int(k) if names is None else names[k] for k in order],
            consistency=consistency,
        )

    def __repr__(self) -> str:
        return f"TournamentDisplay({len(self.games)} units, ξ = {self.consistency:.3f})"

    def plot(self, ax: Any = None) -> TournamentDisplay:
        """Draw wins dark, losses light, ties in between, and the classes along the edges."""
        from matplotlib.colors import ListedColormap

        ax = _axes(ax, (4.2, 4.2))
        m = len(self.games)
        shades = ListedColormap(["#e4e4e4", "#9ecae1", "#2f6690"])
        self.image_ = ax.imshow(
            2.0 * self.games, cmap=shades, vmin=0, vmax=2, interpolation="nearest"
        )
        width = max(1.0, 0.035 * m)
        for k, positive in enumerate(self.is_positive):
            colour = COLOURS[1] if positive else "0.75"
            ax.add_patch(_rectangle((-0.5 - 1.4 * width, k - 0.5), (width, 1), colour))
            ax.add_patch(_rectangle((k - 0.5, -0.5 - 1.4 * width), (1, width), colour))
        ax.set(
            xlim=(-0.5 - 1.5 * width, m - 0.5),
            ylim=(m - 0.5, -0.5 - 1.5 * width),
            xlabel="opponent, most wins first",
            ylabel="most wins first",
            xticks=[],
            yticks=[],
        )
        handles = [
            _rectangle((0, 0), (1, 1), colour, name)
            for colour, name in (
                ("#2f6690", "won"),
                ("#9ecae1", "tie"),
                ("#e4e4e4", "lost"),
                (COLOURS[1], "positive"),
                ("0.75", "negative"),
            )
        ]
        ax.spines[:].set_visible(False)
        ax.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.06),
            ncols=5,
            frameon=False,
            fontsize="x-small",
            handlelength=1.0,
            columnspacing=1.0,
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the win matrix, labelled with the names of the units."""
        import pandas as pd

        return pd.DataFrame(self.games, index=self.names, columns=self.names)


@dataclass(eq=False, repr=False)
class ScoreDisplay:
    """The wins of every unit, one dot each, by class.

    Attributes
    ----------
    scores : ndarray of shape (m,)
        Tournament scores.
    is_positive : ndarray of shape (m,)
        Class of each unit.
    classes : (str, str)
        Names of the negative and the positive class.
    figure_, ax_, dots_
        What `plot` drew.
    """

    scores: FloatArray
    is_positive: BoolArray
    classes: tuple[str, str]

    figure_: Any = None
    ax_: Any = None
    dots_: Any = None

    @classmethod
    def from_result(cls, result: Ranking) -> ScoreDisplay:
        """Show the scores of a result."""
        labels = result.labels
        return cls(result.scores, labels.is_positive, (str(labels.negative), str(labels.positive)))

    def __repr__(self) -> str:
        n_positive = int(self.is_positive.sum())
        n_negative = self.is_positive.size - n_positive
        return f"ScoreDisplay({n_positive} × {self.classes[1]}, {n_negative} × {self.classes[0]})"

    def plot(self, ax: Any = None) -> ScoreDisplay:
        """Draw the dots; those that would overlap are stacked."""
        from matplotlib.ticker import MaxNLocator

        ax = _axes(ax, (5.2, 2.4))
        rated = ~np.isnan(self.scores)
        low, high = float(self.scores[rated].min()), float(self.scores[rated].max())
        step = max((high - low) / 45.0, 1e-12)
        self.dots_ = []
        names = []
        for row, (name, colour) in enumerate(zip(self.classes, ("0.45", COLOURS[1]), strict=True)):
            own = np.sort(self.scores[rated & (self.is_positive == (row == 1))])
            place = np.round((own - low) / step).astype(int)
            stack = np.arange(own.size) - np.searchsorted(place, place)
            height = row + 0.75 * stack / max(8, int(stack.max(initial=0)))
            marker = "o" if row == 0 else "D"
            (dots,) = ax.plot(own, height, marker, color=colour, markersize=4, alpha=0.85)
            self.dots_.append(dots)
            names.append(plain_text(fill(shorten(name, 60), 20)) + f"\n({own.size})")
        ax.set(xlabel="wins", yticks=[0, 1], yticklabels=names, ylim=(-0.2, 1.95))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.spines[["top", "right", "left"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return score and class of every unit."""
        import pandas as pd

        return pd.DataFrame({"score": self.scores, "positive": self.is_positive})


@dataclass(eq=False, repr=False)
class SchemesDisplay:
    """Several estimates of one AUC, side by side.

    Attributes
    ----------
    estimates : dict of str to float
        AUC by scheme.
    interval : (float, float) or None
        Interval of the tournament's AUC.
    figure_, ax_, dots_
        What `plot` drew.
    """

    estimates: dict[str, float]
    interval: tuple[float, float] | None = None

    figure_: Any = None
    ax_: Any = None
    dots_: Any = None

    @classmethod
    def from_result(
        cls, table: pd.DataFrame, interval: tuple[float, float] | None = None
    ) -> SchemesDisplay:
        """Show the table that `evaluate` returns."""
        return cls({str(name): float(auc) for name, auc in table["auc"].items()}, interval)

    def __repr__(self) -> str:
        aucs = (f"{name} {auc:.3f}" for name, auc in self.estimates.items())
        return f"SchemesDisplay({', '.join(aucs)})"

    def plot(self, ax: Any = None) -> SchemesDisplay:
        """Draw one line per scheme, with the interval shaded behind them."""
        ax = _axes(ax, (5.2, 0.6 + 0.3 * len(self.estimates)))
        if self.interval is not None:
            ax.axvspan(*self.interval, color=COLOURS[0], alpha=0.12, linewidth=0)
        ax.axvline(0.5, color="0.7", linewidth=0.8)
        names = list(self.estimates)
        values = [self.estimates[name] for name in names]
        known = [v for v in (*values, *(self.interval or ())) if v == v]
        rows = np.arange(len(names))[::-1]
        honest = [name in HONEST for name in names]
        colours = [COLOURS[0] if good else COLOURS[1] for good in honest]
        self.dots_ = ax.scatter(values, rows, c=colours, s=30, zorder=3)
        for value, row in zip(values, rows, strict=True):
            text = f"{value:.3f}" if value == value else "not defined"
            at = (value if value == value else 0.5, row)
            ax.annotate(text, at, (6, 4), textcoords="offset points", fontsize="x-small")
        ax.set(
            yticks=rows,
            yticklabels=[SCHEME_NAMES.get(name, name) for name in names],
            xlabel="AUC",
            xlim=(min([0.3, *(v - 0.03 for v in known)]), 1.06),
            ylim=(-0.7, len(names) - 0.3),
        )
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.spines[["top", "right", "left"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the estimates."""
        import pandas as pd

        return pd.DataFrame({"scheme": list(self.estimates), "auc": list(self.estimates.values())})


@dataclass(eq=False, repr=False)
class CalibrationDisplay:
    """Observed frequencies over predicted probabilities.

    Attributes
    ----------
    curve : CalibrationCurve
        The curve and its consistency band.
    confidence_level : float
        Of the band.
    figure_, ax_, line_, band_, ideal_
        What `plot` drew.
    """

    curve: CalibrationCurve
    confidence_level: float = 0.95

    figure_: Any = None
    ax_: Any = None
    line_: Any = None
    band_: Any = None
    ideal_: Any = None

    @classmethod
    def from_result(
        cls, probabilities: Probabilities, *, confidence_level: float = 0.95
    ) -> CalibrationDisplay:
        """Show the calibration of probabilities, for example those of a tournament."""
        return cls(probabilities.calibration_curve(confidence_level), confidence_level)

    def __repr__(self) -> str:
        return f"CalibrationDisplay({len(self.curve.predicted)} points)"

    def plot(self, ax: Any = None) -> CalibrationDisplay:
        """Draw the curve and, about the diagonal, where it would lie by chance.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = _axes(ax, (4.2, 4.2))
        curve = self.curve
        (self.ideal_,) = ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, label="perfect")
        self.band_ = ax.fill_between(
            curve.predicted,
            curve.low,
            curve.high,
            color="0.5",
            alpha=0.2,
            linewidth=0,
            label=f"{100 * self.confidence_level:.4g}% by chance, if perfect",
        )
        (self.line_,) = ax.plot(
            curve.predicted, curve.observed, color=COLOURS[0], linewidth=1.6, label="observed"
        )
        ax.set(
            xlabel="predicted probability",
            ylabel="observed frequency",
            xlim=(-0.02, 1.02),
            ylim=(-0.02, 1.02),
            aspect="equal",
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(
            handles=[self.line_, self.band_, self.ideal_],
            loc="upper left",
            frameon=False,
            fontsize="small",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the points of the curve and its band."""
        import pandas as pd

        return pd.DataFrame(self.curve._asdict())


@dataclass(eq=False, repr=False)
class NetBenefitDisplay:
    """Net benefit over threshold probabilities: a decision curve.

    Attributes
    ----------
    table : DataFrame
        What `Probabilities.net_benefit` returns.
    confidence_level : float
        Of its limits.
    figure_, ax_, line_, band_, all_, none_
        What `plot` drew.
    """

    table: pd.DataFrame
    confidence_level: float = 0.95

    figure_: Any = None
    ax_: Any = None
    line_: Any = None
    band_: Any = None
    all_: Any = None
    none_: Any = None

    @classmethod
    def from_result(
        cls,
        probabilities: Probabilities,
        *,
        thresholds: Any = THRESHOLDS,
        confidence_level: float = 0.95,
    ) -> NetBenefitDisplay:
        """Show the net benefit of probabilities, for example those of a tournament."""
        return cls(probabilities.net_benefit(thresholds, confidence_level), confidence_level)

    def __repr__(self) -> str:
        low, high = self.table["threshold"].min(), self.table["threshold"].max()
        return f"NetBenefitDisplay(thresholds {low:g} to {high:g})"

    def plot(self, ax: Any = None) -> NetBenefitDisplay:
        """Draw the net benefit of the model, of treating all, and of treating none.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        ax = _axes(ax, (4.2, 4.2))
        table = self.table
        at = table["threshold"]
        self.none_ = ax.axhline(0, color="0.5", linewidth=1.0, label="treat none")
        (self.all_,) = ax.plot(at, table["all"], "--", color="0.5", label="treat all")
        self.band_ = ax.fill_between(
            at,
            table["low"],
            table["high"],
            color=COLOURS[0],
            alpha=0.15,
            linewidth=0,
            label=f"{100 * self.confidence_level:.4g}% limits, pointwise",
        )
        (self.line_,) = ax.plot(at, table["model"], color=COLOURS[0], linewidth=1.6, label="model")
        # Far below zero the decision is clear, and limits of the last thresholds are vast.
        top = max(0.05, float(table["model"].max()), float(table["all"].max()))
        ax.set(
            xlabel="threshold probability",
            ylabel="net benefit",
            xlim=(0, 1),
            ylim=(-0.6 * top, 1.5 * top),
        )
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(
            handles=[self.line_, self.band_, self.all_, self.none_],
            loc="upper right",
            frameon=False,
            fontsize="small",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def frame(self) -> pd.DataFrame:
        """Return the numbers behind the plot."""
        return self.table.copy()


HONEST = ("tlpo", "lpo", "quicksort", "kfold-averaged")
SCHEME_NAMES = {
    "tlpo": "tournament (TLPO)",
    "lpo": "leave-pair-out",
    "loo": "leave-one-out, pooled",
    "kfold-pooled": "K-fold, pooled",
    "kfold-averaged": "K-fold, averaged",
    "harrell": "bootstrap (Harrell)",
    "632": "bootstrap (.632)",
    "632+": "bootstrap (.632+)",
    "quicksort": "quicksort",
}


def shorten(text: str, most: int) -> str:
    """Cut a long label, and show that it was cut."""
    return text if len(text) <= most else text[: most - 1] + "…"


def plain_text(text: str) -> str:
    """Keep matplotlib from reading formulas into a label."""
    return text.replace("$", r"\$")


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def _rectangle(
    at: tuple[float, float], size: tuple[float, float], colour: str, name: str = ""
) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(at, *size, facecolor=colour, edgecolor="none", label=name, clip_on=False)
