"""A file of games: drawn here, filled in elsewhere, read again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, UsageError, arg, enumerate_briefly, explain
from tlpo.execution.replace import replacing, write_text
from tlpo.plurals import counted
from tlpo.tables.build_sample import Sample
from tlpo.tables.columns import as_categories, as_text, require_column
from tlpo.tables.read import read_table

if TYPE_CHECKING:
    import pandas as pd

TEXT, PARQUET = ".csv", ".parquet"
# More files than this are no help to anybody.
MOST_TRAINING_SETS = 100_000


def name_rows(table: pd.DataFrame, sample: Sample, column: str | None = None) -> list[str]:
    """Return what a file of games calls the rows that are used.

    These are their numbers, counted from 1 below the header, or what a column of the table says.
    """
    if column is None:
        return [str(place + 1) for place in sample.places.tolist()]
    require_column(table, column)
    cells = as_categories(table[column].iloc[sample.places])
    n_empty = sum(not isinstance(cell, str) for cell in cells)
    given = arg("id_column", column)
    names = [str(cell) for cell in cells]
    again = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if n_empty or len(set(names)) < len(names):
        raise InputError(
            explain(
                "Every row that is used needs an identifier of its own.",
                f"You passed {given}, which is empty in {counted(n_empty, 'row')}."
                if n_empty
                else f"You passed {given}, in which {enumerate_briefly(again, 3)} "
                f"{'stands' if len(again) == 1 else 'stand'} more than once.",
                f"Leave out {arg('id_column')}: rows are then called by their numbers.",
            )
        )
    return names


def require_games_path(path: Path) -> None:
    """Refuse a file of another kind, and one that exists: it may hold predictions."""
    if path.suffix.lower() not in (TEXT, PARQUET):
        raise UsageError(
            explain(
                "Games are written as CSV or Parquet.",
                f"You passed {arg('out', str(path))}.",
                f"For example {arg('out', f'{path.stem}.csv')}.",
            )
        )
    if path.exists():
        raise UsageError(
            explain(
                "There is such a file already, and it may hold predictions.",
                f"You passed {arg('out', str(path))}.",
                "Choose another name, or delete the file.",
            )
        )


def write_games(games: pd.DataFrame, path: Path) -> None:
    """Write games as CSV or Parquet, by the ending of the name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == TEXT:
        write_text(path, str(games.to_csv(index=False)))
        return
    try:
        with replacing(path) as beside:
            games.to_parquet(beside, index=False)
    except ImportError as error:
        raise InputError(
            explain(
                "Writing Parquet needs another package.",
                f"You passed {arg('out', str(path))}: {error}.",
                "Install it with: pip install 'tlpo[io]', or write CSV.",
            )
        ) from error


def write_training_sets(games: pd.DataFrame, folder: Path) -> None:
    """Write for every game a file with the rows to train on, called by the number of the game."""
    import pandas as pd

    if len(games) > MOST_TRAINING_SETS:
        raise UsageError(
            explain(
                f"More than {MOST_TRAINING_SETS} files of training sets are of no use.",
                f"You passed {arg('train', str(folder))} for {len(games)} games.",
                f"Leave out {arg('train')} and train on all rows with an outcome whose group is "
                f"neither that of i nor that of j; or draw fewer games, for example "
                f"{arg('rounds', 20)}.",
            )
        )
    folder.mkdir(parents=True, exist_ok=True)
    for game, rows in zip(games["game"].tolist(), games["train"].tolist(), strict=True):
        write_text(folder / f"{game}.csv", str(pd.DataFrame({"row": rows}).to_csv(index=False)))


def read_games_file(path: str) -> pd.DataFrame:
    """Read a file of games; who met is text, as `name_rows` has it."""
    games = read_table(path)
    for name in ("i", "j"):
        if name not in games.columns:
            raise InputError(
                explain(
                    "This is not a file of games.",
                    f"You passed {path!r}, which has the columns "
                    f"{enumerate_briefly([*map(str, games.columns)], 12)}.",
                    'Pass the file that "tlpo games draw" wrote, with predictions filled in.',
                )
            )
    return games.assign(i=as_text(games["i"]), j=as_text(games["j"]))


def are_filled(games: pd.DataFrame) -> BoolArray:
    """Return which games have all their predictions; none if there are no such columns."""
    columns = [name for name in games.columns if str(name).startswith("prediction_")]
    if not columns:
        return np.zeros(len(games), dtype=bool)
    return np.asarray(games[columns].notna().all(axis=1).to_numpy(), dtype=bool)


def say_progress(games: pd.DataFrame) -> str:
    """Say how many games have been played, and by whom."""
    filled = are_filled(games)
    units = np.unique(games[["i", "j"]].to_numpy(object).astype(str))
    played = games.loc[filled, ["i", "j"]].to_numpy(object).astype(str)
    found, counts = np.unique(played, return_counts=True)
    n_played = int(np.count_nonzero(filled))
    said = f"{n_played} of {counted(len(games), 'game')} played"
    if 0 < n_played < len(games):
        low = int(counts.min()) if found.size == units.size else 0
        each = f"{low}" if low == counts.max() else f"{low} to {counts.max()}"
        said += f" ({100 * n_played / len(games):.0f} %), {each} by each of {units.size} rows"
    return f"{said}."


def require_own(games: pd.DataFrame, names: list[str], path: str, source: str) -> None:
    """Refuse games that were not drawn from the table."""
    own, met = set(names), dict.fromkeys([*games["i"].tolist(), *games["j"].tolist()])
    unknown = [name for name in met if name not in own]
    absent = [name for name in names if name not in met]
    if not unknown and not absent:
        return
    why = (
        f"{counted(len(unknown), 'row')} that play, such as {enumerate_briefly(unknown, 3)}, are "
        "not there or have no outcome"
        if unknown
        else f"{counted(len(absent), 'row')} with an outcome, such as "
        f"{enumerate_briefly(absent, 3)}, have no game"
    )
    raise InputError(
        explain(
            "The games do not belong to the table.",
            f"You passed {path!r} and {source!r}: {why}.",
            "Pass the table that the games were drawn from, with the same "
            f"{arg('target')}, {arg('rows')}, {arg('classes')} and {arg('id_column')}, and keep "
            "games that are not played yet in the file.",
        )
    )


def ids_as_numbers(games: pd.DataFrame, column: str | None) -> pd.DataFrame:
    """Write row numbers as numbers, not as text."""
    if column is not None:
        return games
    changed: dict[str, Any] = {name: games[name].astype(np.int64) for name in ("i", "j")}
    return games.assign(**changed)
