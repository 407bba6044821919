"""The paper's findings, each beside the number that this package finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

import tlpo
from tlpo.execution.replace import write_text
from tlpo.experiments import grid

if TYPE_CHECKING:
    from tlpo.experiments.reproduce import Tables

# A mean of less than this is called close to zero.
CLOSE = 0.01
CV = ("loo", "lpo", "tlpo")
# With this many repetitions the error of a mean is small compared with `CLOSE`.
ENOUGH = 5000


class Verdict(NamedTuple):
    """What was found, and whether the paper says so too."""

    agrees: bool
    found: str


class Finding(NamedTuple):
    """One statement of the paper, in our words.

    Attributes
    ----------
    where : str
        Section of the paper.
    needs : str
        The part of the work it rests on.
    statement : str
        What it says.
    check : callable
        From tables to a verdict.
    """

    where: str
    needs: tuple[str, ...]
    statement: str
    check: Callable[[Tables], Verdict]


def write_findings(tables: Tables, out: Path) -> None:
    """Write ``summary.md``."""
    write_text(out / "summary.md", summarise(tables))


def summarise(tables: Tables) -> str:
    """Show our number beside every finding whose part was measured."""
    lines = ["# The paper's findings, and what comes out here", ""]
    lines += ["| section | the paper finds | here | |", "| --- | --- | --- | --- |"]
    for finding in FINDINGS:
        if all(_has(tables, part) for part in finding.needs):
            verdict = finding.check(tables)
            word = "agrees" if verdict.agrees else "**does not**"
            lines.append(f"| {finding.where} | {finding.statement} | {verdict.found} | {word} |")
    counts = sorted({int(n) for n in tables.auc["repetitions"]} if len(tables.auc) else [])
    if len(tables.pool):
        name = tables.pool["pool"].iloc[0]
        lines += ["", f'"The pool" is {_pool_name(name)}.']
    lines += [
        "",
        f"Repetitions: {', '.join(map(str, counts)) or '—'}"
        + (
            f" and {int(tables.pool['repetitions'].iloc[0])} of the pool"
            if len(tables.pool)
            else ""
        )
        + f". tlpo {tlpo.__version__}. The Monte-Carlo error of each mean is in the tables (`se`).",
    ]
    if counts and min(counts) < ENOUGH:
        lines.append(f"With fewer than {ENOUGH} repetitions chance decides some of these verdicts.")
    if tables.seconds:
        total = sum(tables.seconds.values())
        parts = ", ".join(f"{part} {seconds:.0f} s" for part, seconds in tables.seconds.items())
        lines.append(f"Time: {total:.0f} s ({parts}).")
    return "\n".join(lines) + "\n"


def _pool_name(name: str) -> str:
    if name == "phantom":
        return "a phantom of the paper's images, which are not public: a simulation, not patients"
    return f"`{name}`"


def _has(tables: Tables, part: str) -> bool:
    if part == "pool":
        return len(tables.pool) > 0
    if part == "random":
        return tables.random_consistency is not None
    if part == "harrell":
        return bool((tables.auc["scheme"] == "harrell").any())
    signal = tables.auc[tables.auc["scheme"] == "lpo"]["signal"]
    return bool((signal == 0).any() if part == "no signal" else (signal > 0).any())


def _pick(table: pd.DataFrame, **keys: Any) -> pd.DataFrame:
    for name, value in keys.items():
        table = table[table[name].isin(value if isinstance(value, tuple) else (value,))]
    return table


def _range(values: pd.Series) -> str:
    return f"{values.min():+.3f} to {values.max():+.3f}"


def _close(scheme: Any, **keys: Any) -> Callable[[Tables], Verdict]:
    """Means of some schemes are close to zero."""

    def check(tables: Tables) -> Verdict:
        means = _pick(tables.auc, scheme=scheme, **keys)["mean"]
        return Verdict(bool(means.abs().max() <= CLOSE), f"mean ΔA {_range(means)}")

    return check


def _loo_low(tables: Tables) -> Verdict:
    means = _pick(tables.auc, learner="ridge", features=10, signal=0, scheme="loo")["mean"]
    return Verdict(bool(means.max() < -0.02), f"mean ΔA of LOO {_range(means)}")


def _knn_tlpo(tables: Tables) -> Verdict:
    own = _pick(tables.auc, learner="knn", signal=0)
    tlpo, loo = (own[own["scheme"] == s]["mean"].to_numpy() for s in ("tlpo", "loo"))
    agrees = bool((tlpo < 0).all() and np.abs(tlpo).mean() < np.abs(loo).mean() / 2)
    return Verdict(agrees, f"TLPO {tlpo.min():+.3f} to {tlpo.max():+.3f}, LOO {loo.mean():+.3f}")


def _shrinks(tables: Tables) -> Verdict:
    own = tables.auc[(tables.auc["signal"] > 0) & tables.auc["scheme"].isin(CV)]
    low = float((own["mean"] < 0.002).mean())
    return Verdict(low >= 0.9, f"mean ΔA {_range(own['mean'])}, not above 0.002 in {low:.0%}")


def _loo_worst(tables: Tables) -> Verdict:
    own = tables.auc[tables.auc["scheme"].isin(CV)]
    wide = own.pivot_table(
        index=["learner", "features", "signal", "fraction"], columns="scheme", values="mean"
    )
    worse = float((wide["loo"] < wide[["lpo", "tlpo"]].min(axis=1)).mean())
    return Verdict(worse > 0.5, f"LOO is the lowest in {worse:.0%} of {len(wide)} settings")


def _variance_at_ten(tables: Tables) -> Verdict:
    own = tables.auc[tables.auc["scheme"].isin(CV) & (tables.auc["signal"] == 0)]
    highest = own.loc[own.groupby(["learner", "features", "scheme"])["variance"].idxmax()]
    at_ten = float((highest["fraction"] == 0.1).mean())
    ratio = (
        _pick(own, fraction=0.1)["variance"].mean() / _pick(own, fraction=0.5)["variance"].mean()
    )
    return Verdict(at_ten == 1, f"highest at 10 % in {at_ten:.0%}; {ratio:.1f} × that at 50 %")


def _variance_falls(tables: Tables) -> Verdict:
    own = tables.auc[tables.auc["scheme"].isin(CV)]
    wide = own.pivot_table(
        index=["learner", "features", "signal", "scheme"], columns="fraction", values="variance"
    )
    falls = wide[0.5] < wide[0.1]
    return Verdict(bool(falls.all()), f"lower at 50 % than at 10 % in {falls.mean():.0%}")


def _variances_alike(tables: Tables) -> Verdict:
    own = _pick(tables.auc, signal=0, fraction=(0.4, 0.5), scheme=CV)
    groups = own.groupby(["learner", "features", "fraction"])["variance"]
    ratio = float((groups.max() / groups.min()).max())
    return Verdict(ratio < 1.25, f"the largest is at most {ratio:.2f} × the smallest")


def _knn_loo_variance(tables: Tables) -> Verdict:
    own = tables.auc[(tables.auc["learner"] == "knn") & (tables.auc["signal"] > 0)]
    more = {}
    for features in (10, 1000):
        wide = _pick(own, features=features).pivot_table(
            index=["signal", "fraction"], columns="scheme", values="variance"
        )
        more[features] = wide["loo"] - wide["lpo"]
    agrees = bool(more[10].min() > 0 and more[1000].mean() < more[10].mean() / 2)
    shown = [f"{gap.min():+.4f} to {gap.max():+.4f} at {n}" for n, gap in more.items()]
    return Verdict(agrees, f"LOO − LPO: {', '.join(shown)}")


def _xi(learner: str, least: float, most: float) -> Callable[[Tables], Verdict]:
    def check(tables: Tables) -> Verdict:
        xi = _pick(tables.consistency, learner=learner)["mean"]
        agrees = bool(xi.min().round(2) >= least and xi.max().round(2) <= most)
        return Verdict(agrees, f"ξ {xi.min():.3f} to {xi.max():.3f}")

    return check


def _xi_order(tables: Tables) -> Verdict:
    wide = tables.consistency.pivot_table(
        index=["features", "signal", "fraction"], columns="learner", values="mean"
    )
    less = float((wide["knn"] < wide["ridge"]).mean())
    return Verdict(less > 0.5, f"KNN is less consistent in {less:.0%} of {len(wide)} settings")


def _random(tables: Tables) -> Verdict:
    assert tables.random_consistency is not None
    mean, se = tables.random_consistency
    exact = 3 / (grid.N_UNITS + 2)
    agrees = abs(mean - exact) < 4 * se and round(exact, 1) == 0.1
    return Verdict(agrees, f"ξ {mean:.4f} ± {se:.4f}; exactly 3/(m + 2) = {exact:.4f}")


def _pool_loo(tables: Tables) -> Verdict:
    bias = {
        learner: _pick(tables.pool, learner=learner, scheme="loo")["mean"]
        for learner in grid.LEARNERS
    }
    agrees = bool(bias["ridge"].max() < -0.01 and (bias["knn"].mean() > bias["ridge"].mean()))
    return Verdict(agrees, f"ridge {_range(bias['ridge'])}, KNN {_range(bias['knn'])}")


def _pool_close(learner: str) -> Callable[[Tables], Verdict]:
    def check(tables: Tables) -> Verdict:
        own = _pick(tables.pool, learner=learner, scheme=("lpo", "tlpo"))
        means = own["mean"]
        room = np.maximum(0.015, 3 * own["se"])
        return Verdict(bool((means.abs() <= room).all()), f"mean ΔA {_range(means)}")

    return check


def _pool_variance(tables: Tables) -> Verdict:
    own = _pick(tables.pool, learner="ridge", scheme=CV)
    first, last = (_pick(own, fraction=f)["variance"].mean() for f in (0.1, 0.5))
    return Verdict(first > 2 * last, f"{first:.4f} at 10 %, {last:.4f} at 50 %")


def _pool_knn_variance(tables: Tables) -> Verdict:
    own = _pick(tables.pool, learner="knn", scheme=CV)["variance"]
    return Verdict(bool(own.max() < 0.01), f"{own.min():.4f} to {own.max():.4f}")


def _pool_xi(tables: Tables) -> Verdict:
    xi = _pick(tables.pool, scheme="consistency")["mean"]
    return Verdict(bool(xi.min() > 0.97), f"ξ {xi.min():.3f} to {xi.max():.3f}")


def _ends(tables: Tables) -> Verdict:
    own = _pick(tables.sensitivity, signal=0, fraction=0.5)
    high, low = (_pick(own, specificity=s)["mean"] for s in (0.9, 0.1))
    return Verdict(
        bool(high.min() > 0 and low.max() < 0),
        f"at 90 % {_range(high)}, at 10 % {_range(low)}",
    )


def _weak_signal(tables: Tables) -> Verdict:
    own = _pick(tables.sensitivity, fraction=0.5, specificity=0.9)
    weak = pd.concat([_pick(own, features=f, signal=s) for f, s in ((10, 1), (1000, 10))])
    return Verdict(bool(weak["mean"].min() > 0), f"at 90 % {_range(weak['mean'])}")


def _strong_signal(tables: Tables) -> Verdict:
    own = _pick(tables.sensitivity, fraction=0.5)
    strong = pd.concat([_pick(own, features=f, signal=s) for f, s in ((10, 4), (1000, 50))])
    ridge = _pick(strong, learner="ridge")["mean"]
    knn = _pick(strong, learner="knn", specificity=(0.7, 0.9))["mean"]
    agrees = bool(ridge.abs().max() < 0.035 and knn.mean() < -0.01)
    return Verdict(agrees, f"ridge {_range(ridge)}; KNN at 70 and 90 % {_range(knn)}")


def _no_variance(tables: Tables) -> Verdict:
    own = _pick(tables.sensitivity, fraction=0.5, learner="ridge", features=1000, signal=50)
    most = float(own["variance"].max())
    return Verdict(most < 0.005, f"at most {most:.4f}")


def _pool_sensitivity(tables: Tables) -> Verdict:
    own = _pick(tables.pool_sensitivity, fraction=grid.POOL_FRACTIONS_OF_SENSITIVITY)
    high = _pick(own, specificity=0.9)
    low = _pick(own, specificity=(0.1, 0.2, 0.3))
    agrees = bool(high["mean"].min() > 0 and low["mean"].abs().max() < 0.02)
    return Verdict(agrees, f"at 90 % {_range(high['mean'])}, at 10–30 % {_range(low['mean'])}")


def _optimistic(tables: Tables) -> Verdict:
    means = _pick(tables.auc, scheme="harrell")["mean"]
    return Verdict(bool(means.min() > 0.05), f"mean ΔA {_range(means)}")


def _bootstrap_variance(tables: Tables) -> Verdict:
    own = _pick(tables.auc, signal=0)
    wide = own.pivot_table(
        index=["learner", "features", "fraction"], columns="scheme", values="variance"
    )
    lower = float((wide["harrell"] < wide[list(CV)].min(axis=1)).mean())
    return Verdict(lower == 1, f"lower in {lower:.0%} of {len(wide)} settings")


def _bootstrap_steady(tables: Tables) -> Verdict:
    own = _pick(tables.auc, scheme="harrell")
    few = _pick(own, learner="ridge", features=10)["variance"]
    rest = own.drop(few.index)["variance"]
    return Verdict(
        bool(own["variance"].max() < 0.005),
        f"ridge with 10 features {few.min():.4f} to {few.max():.4f}, "
        f"all others {rest.min():.4f} to {rest.max():.4f}",
    )


FINDINGS = [
    Finding(
        "4.2",
        ("no signal",),
        "Without signal, LPO and TLPO of ridge are close to unbiased at any dimension and fraction",
        _close(("lpo", "tlpo"), learner="ridge", signal=0),
    ),
    Finding("4.2", ("no signal",), "LOO of ridge is biased low at 10 features", _loo_low),
    Finding(
        "4.2",
        ("no signal",),
        "At 1000 features that bias disappears",
        _close("loo", learner="ridge", signal=0, features=1000),
    ),
    Finding(
        "4.2",
        ("no signal",),
        "LPO of KNN is nearly unbiased",
        _close("lpo", learner="knn", signal=0),
    ),
    Finding(
        "4.2",
        ("no signal",),
        "TLPO of KNN is a little low, far less than LOO",
        _knn_tlpo,
    ),
    Finding("4.2", ("signal",), "With signal all estimates are somewhat low", _shrinks),
    Finding("4.2", ("no signal", "signal"), "In most settings LOO is much the lowest", _loo_worst),
    Finding("4.2", ("no signal",), "Variances are highest with 10 % positives", _variance_at_ten),
    Finding(
        "4.2",
        ("no signal",),
        "With balanced classes LOO, LPO and TLPO vary alike",
        _variances_alike,
    ),
    Finding(
        "4.2",
        ("signal",),
        "With signal and KNN, LOO varies more than LPO and TLPO at 10 features, not at 1000",
        _knn_loo_variance,
    ),
    Finding(
        "4.2",
        ("no signal", "signal"),
        "Variances fall as the fraction of positives grows",
        _variance_falls,
    ),
    Finding("4.3", ("pool",), "On the pool, LOO of ridge is low, that of KNN less so", _pool_loo),
    Finding("4.3", ("pool",), "LPO and TLPO of ridge are almost unbiased", _pool_close("ridge")),
    Finding("4.3", ("pool",), "LPO and TLPO of KNN are unbiased", _pool_close("knn")),
    Finding("4.3", ("pool",), "With ridge, imbalance raises the variances", _pool_variance),
    Finding("4.3", ("pool",), "With KNN variances are close to zero", _pool_knn_variance),
    Finding(
        "4.4",
        ("no signal",),
        "Without signal, sensitivity is biased up at high and down at low specificity",
        _ends,
    ),
    Finding("4.4", ("signal",), "With weak signal it is biased up at 90 %", _weak_signal),
    Finding(
        "4.4",
        ("signal",),
        "With strong signal ridge is close to unbiased, KNN low at high specificity",
        _strong_signal,
    ),
    Finding(
        "4.4",
        ("signal",),
        "With ridge, 1000 features and strong signal, its variance is almost zero",
        _no_variance,
    ),
    Finding(
        "4.4",
        ("pool",),
        "On the pool it is biased up at 90 %, and close to unbiased at low specificity",
        _pool_sensitivity,
    ),
    Finding("S1", ("harrell",), "The bootstrap is optimistic everywhere", _optimistic),
    Finding(
        "S1",
        ("harrell", "no signal"),
        "Its variance is lower than that of cross-validation",
        _bootstrap_variance,
    ),
    Finding("S1", ("harrell",), "Its variance is close to zero", _bootstrap_steady),
    Finding("S3", ("random",), "A random learner has an expected ξ of 0.1", _random),
    Finding("S4", ("no signal", "signal"), "ξ of ridge is 0.96 or above", _xi("ridge", 0.96, 1.0)),
    Finding("S4", ("no signal", "signal"), "ξ of KNN is 0.97 or below", _xi("knn", 0.0, 0.97)),
    Finding("S4", ("no signal", "signal"), "KNN is less consistent than ridge mostly", _xi_order),
    Finding("S4", ("pool",), "On the pool ξ is above 0.97 for both", _pool_xi),
]
