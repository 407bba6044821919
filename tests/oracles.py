"""Naive loops, written from the definitions, that share no code with the package."""

import itertools

import numpy as np
from sklearn.base import clone, is_regressor


def heaviside(a, b):
    return 1.0 if a > b else 0.5 if a == b else 0.0


def predict(estimator, X, y, train, test):
    """Fit on `train` and score `test`: larger means class 1 of labels 0/1."""
    model = clone(estimator)
    if is_regressor(estimator):
        model.fit(X[train], np.where(y[train] == 1, 1.0, -1.0))
        return model.predict(X[test])
    model.fit(X[train], y[train])
    if hasattr(model, "decision_function"):
        return model.decision_function(X[test])
    return model.predict_proba(X[test])[:, 1]


def tournament_scores(estimator, X, y):
    m = len(y)
    wins = np.zeros(m)
    for i, j in itertools.combinations(range(m), 2):
        train = [k for k in range(m) if k not in (i, j)]
        fi, fj = predict(estimator, X, y, train, [i, j])
        wins[i] += heaviside(fi, fj)
        wins[j] += heaviside(fj, fi)
    return wins


def leave_pair_out_auc(estimator, X, y):
    m = len(y)
    total = 0.0
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    for i in positives:
        for j in negatives:
            train = [k for k in range(m) if k not in (i, j)]
            fi, fj = predict(estimator, X, y, train, [i, j])
            total += heaviside(fi, fj)
    return total / (len(positives) * len(negatives))


def leave_one_out_scores(estimator, X, y):
    m = len(y)
    return np.array(
        [predict(estimator, X, y, [k for k in range(m) if k != i], [i])[0] for i in range(m)]
    )


def auc(scores, y):
    pairs = [(i, j) for i in np.flatnonzero(y == 1) for j in np.flatnonzero(y == 0)]
    return sum(heaviside(scores[i], scores[j]) for i, j in pairs) / len(pairs)


def rates(scores, y, threshold):
    """FPR and TPR of "score > threshold", counted."""
    tp = sum(1 for s, label in zip(scores, y, strict=True) if label == 1 and s > threshold)
    fp = sum(1 for s, label in zip(scores, y, strict=True) if label == 0 and s > threshold)
    return fp / int(np.sum(y == 0)), tp / int(np.sum(y == 1))


def circular_triads(beats):
    """Count triples that go round in a circle; `beats[i, j]` is 1 or 0."""
    return sum(
        1
        for a, b, c in itertools.combinations(range(len(beats)), 3)
        if beats[a, b] == beats[b, c] == beats[c, a]
    )


def blobs(m=16, n=3, n_positive=None, shift=0.8, seed=0):
    """Two Gaussian classes, labels 0/1 in random order."""
    rng = np.random.default_rng(seed)
    n_positive = m // 2 if n_positive is None else n_positive
    y = np.zeros(m, dtype=int)
    y[rng.permutation(m)[:n_positive]] = 1
    X = rng.normal(size=(m, n))
    X[y == 1] += shift
    return X, y


def held_out_predictions(estimator, X, y):
    """F[i, j]: what the model without i and j predicts for i."""
    m = len(y)
    F = np.full((m, m), np.nan)
    for i, j in itertools.combinations(range(m), 2):
        train = [k for k in range(m) if k not in (i, j)]
        F[i, j], F[j, i] = predict(estimator, X, y, train, [i, j])
    return F


def delong_covariance(first, second, y):
    """AUCs and their 2 × 2 covariance for two scores of the same units, by double loops."""
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    aucs, rows, columns = [], [], []
    for scores in (first, second):
        psi = [[heaviside(scores[i], scores[j]) for j in negatives] for i in positives]
        rows.append([sum(row) / len(negatives) for row in psi])
        columns.append([sum(row[j] for row in psi) / len(positives) for j in range(len(negatives))])
        aucs.append(sum(rows[-1]) / len(positives))

    def covariance(a, b, aucs):
        return sum((u - aucs[0]) * (v - aucs[1]) for u, v in zip(a, b, strict=True)) / (len(a) - 1)

    matrix = [
        [
            covariance(rows[r], rows[s], (aucs[r], aucs[s])) / len(positives)
            + covariance(columns[r], columns[s], (aucs[r], aucs[s])) / len(negatives)
            for s in (0, 1)
        ]
        for r in (0, 1)
    ]
    return aucs, matrix


def games_without(F, y, k):
    """AUC of the games that do not involve k, each moved by what leaving k out does."""
    d = [np.mean([F[i, j] for j in range(len(y)) if j != i]) for i in range(len(y))]
    total, games = 0.0, 0
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            if k in (i, j):
                continue
            gap = (F[i, j] - F[j, i]) + (F[i, k] - d[i]) - (F[j, k] - d[j])
            total += 1.0 if gap > 1e-12 else 0.0 if gap < -1e-12 else 0.5
            games += 1
    return total / games


def placement_jackknife(F, y, quantile):
    """The default interval, step by step: limits, φ and the two variances."""
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    p, n = len(positives), len(negatives)
    U = np.array([[heaviside(F[i, j], F[j, i]) for j in negatives] for i in positives])
    auc = U.mean()
    place = np.var(U.mean(axis=1), ddof=1) / p + np.var(U.mean(axis=0), ddof=1) / n
    without = np.array([games_without(F, y, k) for k in range(len(y))])
    jack = sum(
        (len(units) - 1) / len(units) * np.sum((without[units] - without[units].mean()) ** 2)
        for units in (positives, negatives)
    )

    def model(theta):
        other = (p + n) / 2 - 1
        spread = 1 + other * (1 - theta) / (2 - theta) + other * theta / (1 + theta)
        return theta * (1 - theta) * spread / (p * n)

    phi = 1.0 if auc in (0, 1) else max(1.0, np.sqrt(place * jack) / model(auc))
    thetas = np.linspace(0, 1, 200_001)
    inside = thetas[(auc - thetas) ** 2 <= quantile**2 * phi * model(thetas)]
    return (inside.min(), inside.max()), phi, place, jack


def delong(scores, y):
    """DeLong's placements by loops over pairs: of positives, of negatives."""
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    own = [np.mean([heaviside(scores[i], scores[j]) for j in negatives]) for i in positives]
    other = [np.mean([heaviside(scores[i], scores[j]) for i in positives]) for j in negatives]
    return np.array(own), np.array(other)


def covariance_of_aucs(first, second, y):
    """Covariance of two AUCs on the same units; the variance, if they are the same."""
    total = 0.0
    for a, b in zip(delong(first, y), delong(second, y), strict=True):
        k = len(a)
        total += sum((a[i] - a.mean()) * (b[i] - b.mean()) for i in range(k)) / (k - 1) / k
    return total


def clustered_variance(scores, y, groups):
    """Variance of an AUC whose units come in groups: Obuchowski (1997), by loops."""
    own, other = delong(scores, y)
    area = own.mean()
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    names = sorted(set(groups))
    tens, ones = [], []
    for name in names:
        tens.append(sum(v - area for v, i in zip(own, positives, strict=True) if groups[i] == name))
        ones.append(
            sum(v - area for v, i in zip(other, negatives, strict=True) if groups[i] == name)
        )
    i10 = len({groups[i] for i in positives})
    i01 = len({groups[i] for i in negatives})
    m, n, k = len(positives), len(negatives), len(names)
    s10 = i10 / ((i10 - 1) * m) * sum(t * t for t in tens)
    s01 = i01 / ((i01 - 1) * n) * sum(t * t for t in ones)
    s11 = k / (k - 1) * sum(a * b for a, b in zip(tens, ones, strict=True))
    return s10 / m + s01 / n + 2 * s11 / (m * n)


def noise_of_pairs(moves, units):
    """Least squares over all pairs: an effect of each unit, and what it leaves of their squares."""
    pairs = list(itertools.combinations(units, 2))
    values = np.array([moves.get((i, j), 0.0) + moves.get((j, i), 0.0) for i, j in pairs])
    Z = np.array([[float(u in pair) for u in units] for pair in pairs])
    left = values - Z @ np.linalg.lstsq(Z, values, rcond=None)[0]
    return len(pairs) * (left @ left) / (len(pairs) - len(units))
