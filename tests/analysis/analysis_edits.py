"""Edits of an analysis, one at a time: what somebody could write into its JSON."""

import re

HUGE = 10**400
TEXT = "NaN"
# Lists of numbers are edited at both ends and in the middle.
PLACES = 3


def places(value, path=()):
    """Yield the path of every leaf, of long lists only of some."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        chosen = range(len(value))
        if len(value) > PLACES and not isinstance(value[0], dict | list):
            chosen = (0, len(value) // 2, len(value) - 1)
        for k in chosen:
            yield from places(value[k], (*path, k))
    else:
        yield path


def lists(value, path=()):
    """Yield the path of every list of numbers."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, list) and len(value) > 1 and all(map(_is_number, value)):
        yield path
    else:
        for key, item in items:
            if isinstance(item, dict | list):
                yield from lists(item, (*path, key))


def intervals(value, path=()):
    """Yield the paths of the two limits of every interval."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from intervals(item, (*path, key))
        elif isinstance(key, str) and re.search("(^|_)low$", key):
            yield (*path, key), (*path, f"{key.removesuffix('low')}high")


def edits(found):
    """Yield what is done, and the paths and new values that do it: to each kind of place, once."""
    done = set()
    for how, path, changes in every_edit(found):
        if (how, pattern(path)) not in done:
            done.add((how, pattern(path)))
            yield how, path, changes


def every_edit(found):
    for path in places(found):
        value = at(found, path)
        if not (_is_number(value) or value is None):
            continue
        new = {"−5": -5, "7": 7, "1e300": 1e300, "10**400": HUGE, "text": TEXT}
        if value is not None:
            new["null"] = None
            new["Infinity"] = "Infinity"
        if isinstance(value, int):
            new["one more"] = value + 1
        for how, item in new.items():
            if item != value:
                yield how, path, {path: item}
    for path in lists(found):
        values = at(found, path)
        if values != values[::-1]:
            yield "reversed", path, {path: values[::-1]}
        yield "shortened", path, {path: values[:-1]}
    for low, high in intervals(found):
        ends = at(found, low), at(found, high)
        if None not in ends and float(ends[0]) < float(ends[1]) - 1e-9:
            yield "swapped", low, {low: ends[1], high: ends[0]}


def at(found, path):
    for key in path:
        found = found[key]
    return found


def put(found, changes):
    """Apply changes and return those that undo them."""
    before = {path: at(found, path) for path in changes}
    for path, value in changes.items():
        at(found, path[:-1])[path[-1]] = value
    return before


def pattern(path):
    """Write a path without its indices: models[].auc.lpo."""
    text = "".join("[]" if isinstance(key, int) else f".{key}" for key in path)
    return text.lstrip(".")


def _is_number(value):
    is_infinite = isinstance(value, str) and value.endswith("Infinity")
    return is_infinite or (isinstance(value, int | float) and not isinstance(value, bool))
