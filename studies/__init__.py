"""Maintainers' tools that measure tlpo and write the tables in docs/; not part of the wheel.

Run them from the root of the repository, for example ``python -m studies.coverage --help``.
"""
