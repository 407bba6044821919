"""Simulations whose truth is known, as a declared grid that becomes a table."""
