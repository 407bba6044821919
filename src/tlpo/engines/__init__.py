"""Engines turn a problem into standings."""
