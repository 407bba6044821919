import numpy as np
import pandas as pd
import pytest

import tlpo
from tlpo.experiments.pools import read_pool


def test_a_pool_of_ones_own(tmp_path):
    rng = np.random.default_rng(0)
    ill = np.arange(200) < 80
    frame = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(200)],
            "x": rng.normal(size=200) + ill,
            "y": rng.normal(size=200),
            "state": np.where(ill, "ill", "well"),
        }
    )
    frame.loc[3, "x"] = np.nan
    path = tmp_path / "mine.csv"
    frame.to_csv(path, index=False, sep=";")
    pool = read_pool(path, "state", "ill")
    assert (pool.name, pool.X.shape, pool.y.sum()) == ("mine", (199, 2), 79)
    assert read_pool(path, "state", None).y.sum() == 79
    assert read_pool(path, "state", "well").y.sum() == 120
    with pytest.raises(tlpo.InputError, match="The pool needs a target column"):
        read_pool(path, "status", None)
    with pytest.raises(tlpo.InputError, match="positive must be one of the labels"):
        read_pool(path, "state", "sick")
    with pytest.raises(tlpo.InputError, match="There is no such file"):
        read_pool(tmp_path / "nothing.csv", "state", None)
    comma = tmp_path / "comma.csv"
    frame.to_csv(comma, index=False, sep=";", decimal=",")
    np.testing.assert_array_equal(read_pool(comma, "state", "ill").X, pool.X)
    parquet = tmp_path / "mine.parquet"
    frame.to_parquet(parquet)
    # pandas 2 may miss the last digit of a number in a text.
    rtol = 1e-13 if pd.__version__ < "3" else 0.0
    np.testing.assert_allclose(read_pool(parquet, "state", "ill").X, pool.X, rtol=rtol)
    frame.head(90).to_csv(path, index=False)
    with pytest.raises(tlpo.InputError, match="The pool is too small"):
        read_pool(path, "state", None)
    frame[["id", "state"]].to_csv(path, index=False)
    with pytest.raises(tlpo.InputError, match="no numeric features"):
        read_pool(path, "state", None)
