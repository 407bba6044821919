"""What is said about the JSON of an analysis that was edited, without a file."""

import msgspec

from tlpo.analysis.json_values import say_misfit
from tlpo.analysis.load import _convert
from tlpo.analysis.relations import find_contradiction
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.terminal import to_terminal


def find_fault(found):
    """Return what `load_analysis` would say, or None."""
    try:
        contradiction = find_contradiction(_convert(found))
    except msgspec.ValidationError as error:
        return say_misfit(error)
    return None if contradiction is None else str(contradiction)


def shown(found):
    """Return what is printed and written about an analysis."""
    document = make_document(_convert(found))
    return to_markdown(document) and to_terminal(document)
