"""The labels that a permutation test draws."""

import numpy as np

import tlpo
from tlpo.games.contest import Contest, ContestOptions
from tlpo.schemes.exchange import exchange


def permuted_labels(X, y, n, seed, groups=None):
    draw = exchange(Contest(tlpo.RLS(), X, y, ContestOptions(groups=groups)), "all")
    return [
        np.asarray(y)[draw(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(b,))))]
        for b in range(n)
    ]
