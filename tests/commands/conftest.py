"""Summaries that several tests of commands share."""

from analysis.conftest import summary, written

__all__ = ["summary", "written"]
