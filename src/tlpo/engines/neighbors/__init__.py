"""Nearest neighbours, exactly and without refitting."""
