"""Types of packages that need not be installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Set


class OptionalTypes(Set[type]):
    """Exact types that are known by name, so that their packages need not be imported.

    Whoever has a model of such a type has imported its package. A type of the same name from
    elsewhere is another one.

    Parameters
    ----------
    *names : str
        Where users import the types from.

    Examples
    --------
    >>> from fractions import Fraction
    >>> int in OptionalTypes("fractions.Fraction")
    False
    >>> Fraction in OptionalTypes("fractions.Fraction", "absent.Model")
    True
    """

    def __init__(self, *names: str) -> None:
        self.names = names

    def __contains__(self, kind: object) -> bool:
        return any(kind is known for known in self)

    def __iter__(self) -> Iterator[type]:
        """Yield those whose packages have been imported."""
        for name in self.names:
            module, _, attribute = name.rpartition(".")
            kind = getattr(sys.modules.get(module), attribute, None)
            if isinstance(kind, type):
                yield kind

    def __len__(self) -> int:
        """Count all of them: an engine that plays only these does not play any type."""
        return len(self.names)
