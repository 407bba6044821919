"""The JSON of an analysis, which several tests of commands share."""

from analysis.conftest import written

__all__ = ["written"]
