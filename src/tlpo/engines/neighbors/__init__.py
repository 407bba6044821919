"""Nearest neighbours, exactly and without refitting."""

MODULES = ("engine",)
