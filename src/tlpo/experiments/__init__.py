"""Simulations with a known truth: a declared grid that becomes tables."""
