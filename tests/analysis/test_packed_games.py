import numpy as np
import pandas as pd

import tlpo
from analysis.analyses import analysed
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.analysis.packed_games import pack_games, unpack_games
from tlpo.document.write import json_of
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def test_games_survive_packing():
    rng = np.random.default_rng(0)
    wins = np.full((9, 9), np.nan)
    for i in range(9):
        for j in range(i):
            wins[i, j] = rng.choice([0.0, 0.5, 1.0, np.nan])
            wins[j, i] = 1 - wins[i, j]
    np.testing.assert_array_equal(unpack_games(pack_games(wins)), wins)


def test_a_large_report_stays_small():
    rng = np.random.default_rng(0)
    m = 400
    is_ill = np.arange(m) % 2 == 0
    table = pd.DataFrame(rng.normal(size=(m, 3)) + is_ill[:, None], columns=["a", "b", "c"])
    table["outcome"] = np.where(is_ill, "yes", "no")
    sample = build_sample(table, Specification("outcome"))
    models = [Model(name, tlpo.RLS(lam), "RLS") for name, lam in (("one", 1.0), ("two", 2.0))]
    analysis = analysed(sample, models, Options())
    assert len(analysis.models[0].games) == m
    assert len(json_of(analysis).encode()) < 1_000_000
