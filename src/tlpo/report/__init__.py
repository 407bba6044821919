"""From a data file to a report: read, understand, summarize into a plain dict, render.

The package is also the function `tlpo.report`, which makes the page from finished tournaments.
"""

import sys
from inspect import Signature, signature
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from tlpo.report.from_results import report

        return report(*args, **kwargs)

    # help(tlpo.report) is about the function: that is what people call.

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        from tlpo.report.from_results import report

        return report.__doc__

    @property
    def __signature__(self) -> Signature:
        from tlpo.report.from_results import report

        return signature(report)


sys.modules[__name__].__class__ = _Callable
