"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tlpo.tables.file_checks import INFLATION, require_plausible
from tlpo.tables.formats import Format
from tlpo.tables.options import Reading

if TYPE_CHECKING:
    import pandas as pd


def _read(file: Path, _: Reading) -> pd.DataFrame:
    import pandas as pd
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file) as opened:
        shape = opened.metadata
        cells = shape.num_rows * shape.num_columns
    require_plausible(file, cells, INFLATION * file.stat().st_size)
    return pd.read_parquet(file)


FORMAT = Format("Parquet", (".parquet",), _read)
