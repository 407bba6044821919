"""Saved models, and what whoever edits one might do to it; run as a script, it tries to use them.

``python model_edits.py FOLDER TABLE`` validates every ``*.skops`` in a folder and prints its name
and what came of it: ``refused``, with the sentence, or ``used``, with whatever is impossible in the
answer. Several files share a process, which a crash ends: then the last name printed is missing.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np

CARD, SCHEMA = "tlpo.json", "schema.json"
MODELS = (
    *("ridge", "rls", "logistic", "lasso", "lda", "idknn", "bayes", "svm", "constant"),
    *("knn:algorithm=kd_tree,leaf_size=3", "knn:algorithm=ball_tree,leaf_size=3"),
    *("knn:algorithm=brute", "forest:n_estimators=3", "boosting:n_estimators=3"),
)


def opened(path):
    """Return the members of a model file."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def closed(path, members, sealed):
    """Write members as a model file; sealed, with all digests computed anew."""
    import msgspec

    from tlpo.analysis.card import card_digest, digest_of
    from tlpo.analysis.model_file import CARDS
    from tlpo.analysis.shapes import Card

    members = dict(members)
    if sealed and members.get(CARD, b"").startswith(b"{"):
        with suppress(ValueError):
            card = json.loads(members[CARD])
            if isinstance(card.get("members"), dict):
                card["members"] = {n: digest_of(c) for n, c in members.items() if n != CARD}
            if isinstance(card.get("digest"), str):
                kind = CARDS.get(card.get("format"), Card)
                with suppress(msgspec.ValidationError):
                    card["digest"] = card_digest(msgspec.convert(card, kind))
            members[CARD] = json.dumps(card).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


# --- arrays

ARRAYS = {
    "truncated": lambda a: a[: a.shape[0] // 2] if a.ndim else a,
    "empty": lambda a: a[:0] if a.ndim else a,
    "longer": lambda a: np.concatenate([a, a]) if a.ndim else a,
    "negated": lambda a: a if a.dtype.kind in "bUV" else -a,
    "NaN": lambda a: np.full_like(a, np.nan) if a.dtype.kind == "f" else a,
    "huge": lambda a: (
        np.full_like(a, 1e300 if a.dtype.kind == "f" else 2**30) if a.dtype.kind in "fi" else a
    ),
    "text": lambda a: a.astype("U8") if a.dtype.kind != "V" else a,
    "single precision": lambda a: a.astype(np.float32) if a.dtype.kind in "fi" else a,
    "by columns": lambda a: np.asfortranarray(a) if a.ndim > 1 else a,
    "reversed": lambda a: a[::-1].copy() if a.ndim else a,
    "one dimension": lambda a: a.reshape(-1),
    "one more dimension": lambda a: a[None],
}


def array_of(members, name):
    return np.load(io.BytesIO(members[name]), allow_pickle=False)


def bytes_of(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def array_edits(members, n_edits):
    """Yield edits of arrays, each of another array in another way."""
    ways = list(ARRAYS.items())
    names = [name for name in members if name.endswith(".npy")]
    seen = set()
    for place in range(len(names) * len(ways)):
        name, (way, change) = names[place % len(names)], ways[(place * 5 + place // 7) % len(ways)]
        old = array_of(members, name)
        new = change(old)
        if new.dtype == old.dtype and new.shape == old.shape and new.tobytes() == old.tobytes():
            continue
        what = f"array {names.index(name)} {way}"
        if what in seen:
            continue
        seen.add(what)
        yield what, {**members, name: bytes_of(new)}
        if len(seen) == n_edits:
            return


# --- the description of the estimator


def nodes_of(value):
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from nodes_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from nodes_of(item)


def json_node(value):
    return {
        **{"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"},
        **{"content": json.dumps(value), "is_json": True},
    }


def described(members, change):
    """Return members whose description is changed; None if there is nothing to change."""
    schema = json.loads(members[SCHEMA])
    extra = change(schema)
    if extra is None:
        return None
    return {**members, **extra, SCHEMA: json.dumps(schema).encode()}


def of_class(schema, *names):
    return [n for n in nodes_of(schema) if n.get("__class__") in names and "__loader__" in n]


def _attribute(name, value, classes):
    """Set an attribute of the first object of some classes; Ellipsis removes it."""

    def change(schema):
        for node in reversed(of_class(schema, *classes)):  # the model comes last
            held = node["content"].get("content")
            if not isinstance(held, dict) or (name not in held and name != "_impl"):
                continue
            if value is ...:
                place = list(held).index(name)
                del held[name], node["content"]["key_types"]["content"][place]
                return {}
            if name not in held:
                types = node["content"]["key_types"]["content"]
                types.append(types[0])
            held[name] = json_node(value)
            return {}
        return None

    return change


def _state(members, cls, key, change):
    """Change an array or a number in the state of the first tree."""

    def edit(schema):
        found = of_class(schema, *cls)
        if not found:
            return None
        extra = {}
        # An object that is used twice is written twice, under one number.
        for tree in [node for node in found if node["__id__"] == found[0]["__id__"]]:
            held, own = tree["content"]["content"], key
            if isinstance(key, str) and key.startswith("arg"):
                held, own = tree["__reduce__"]["args"]["content"], int(key[3:])
            part = held[own]
            if part["__loader__"] == "JsonNode":
                held[own] = json_node(change(json.loads(part["content"])))
            else:
                old = array_of(members, part["file"])
                new = change(old)
                if new.dtype == old.dtype and np.array_equal(new, old):
                    return None
                extra["edited.npy"] = bytes_of(new)
                rest = {name: item for name, item in part.items() if name != "__id__"}
                held[own] = {**rest, "file": "edited.npy"}
        return extra

    return edit


def _field(name, at, value):
    def change(nodes):
        nodes = nodes.copy()
        nodes[name][at % len(nodes)] = value
        return nodes

    return change


TREE = ("Tree",)
SEARCH = ("KDTree", "BallTree")
TREES = [
    *[("nodes", f"child {v} at {k}", _field("left_child", k, v))
      for k in (0, 1, -1) for v in (2**40, 10**6, -2, -(2**40), 0, 1)],
    *[("nodes", f"other child {v}", _field("right_child", 0, v)) for v in (2**40, -1, 0, 1)],
    *[("nodes", f"feature {v}", _field("feature", 0, v)) for v in (2**40, 10**6, -1, -(2**40), 7)],
    *[("nodes", f"threshold {v}", _field("threshold", 0, v)) for v in (np.nan, np.inf, 1e300)],
    ("nodes", "none", lambda a: a[:0]),
    ("nodes", "half", lambda a: a[: len(a) // 2]),
    ("nodes", "of floats", lambda a: np.zeros(len(a))),
    ("nodes", "two dimensions", lambda a: a[None]),
    ("node_count", "huge", lambda _: 10**9),
    ("node_count", "none", lambda _: 0),
    ("node_count", "negative", lambda _: -1),
    ("node_count", "one more", lambda n: n + 1),
    ("node_count", "text", lambda n: str(n)),
    ("max_depth", "none", lambda _: 0),
    ("max_depth", "negative", lambda _: -5),
    ("values", "half", lambda a: a[: len(a) // 2]),
    ("values", "NaN", lambda a: np.full_like(a, np.nan)),
    ("values", "flat", lambda a: a.ravel()),
    ("values", "more classes", lambda a: np.concatenate([a, a], axis=2)),
    ("arg0", "one feature", lambda _: 1),
    ("arg0", "huge", lambda _: 10**12),
    ("arg0", "negative", lambda _: -1),
    ("arg1", "no classes", lambda a: a[:0]),
    ("arg1", "many classes", lambda a: np.full_like(a, 10**9)),
    ("arg1", "negative classes", lambda a: -a),
    ("arg2", "many outputs", lambda _: 10**9),
    ("arg2", "no outputs", lambda _: 0),
]  # fmt: skip
SEARCHES = [
    *[(1, f"row {v}", lambda a, v=v: np.concatenate([a[:-1], [v]])) for v in (2**40, -1, 0, 10**6)],
    (1, "half", lambda a: a[: len(a) // 2]),
    (1, "floats", lambda a: a.astype(float)),
    *[(2, f"start {v} at {k}", _field("idx_start", k, v)) for k in (0, -1) for v in (2**40, -9, 3)],
    *[(2, f"end {v} at {k}", _field("idx_end", k, v)) for k in (0, -1) for v in (2**40, -9, 10**6)],
    (2, "no leaf at the end", _field("is_leaf", -1, 0)),
    (2, "a leaf of another kind", _field("is_leaf", 0, 7)),
    (2, "half", lambda a: a[: len(a) // 2]),
    (2, "none", lambda a: a[:0]),
    (2, "NaN", _field("radius", 0, np.nan)),
    (3, "half", lambda a: a[:, : a.shape[1] // 2].copy()),
    (3, "NaN", lambda a: np.full_like(a, np.nan)),
    (0, "half", lambda a: a[: len(a) // 2]),
    (0, "one column", lambda a: a[:, :1].copy()),
    (0, "NaN", lambda a: np.full_like(a, np.nan)),
    (4, "no leaf size", lambda _: 0),
    (5, "many levels", lambda _: 40),
    (6, "many nodes", lambda _: 10**9),
    (6, "no nodes", lambda _: 0),
]
ATTRIBUTES = [
    ("n_features_in_", 1, ()),
    ("n_features_in_", 50, ()),
    ("n_features_in_", ..., ()),
    ("n_features_in_", "3", ()),
    ("classes_", ["a", "b"], ()),
    ("classes_", ..., ()),
    ("n_samples_fit_", 10**6, ()),
    ("n_neighbors", 10**6, ()),
    ("n_neighbors", -1, ()),
    ("n_jobs", 10**6, ()),
    ("_y", [0, 1], ()),
    ("_tree", None, ()),
    ("_fit_X", None, ()),
    ("_fit_method", "brute", ()),
    ("_fit_method", "ball_tree", ()),
    ("effective_metric_", "cosine", ()),
    ("kernel", "precomputed", ()),
    ("kernel", "poly", ()),
    ("gamma", 0, ()),
    ("_gamma", "much", ()),
    ("_impl", "epsilon_svr", ("SVC",)),
    ("_sparse", True, ()),
    ("shape_fit_", [1, 1], ()),
    ("coef_", [1.0], ()),
    ("intercept_", None, ()),
    ("estimators_", [], ()),
    ("n_classes_", 7, ()),
    ("n_outputs_", 7, ()),
    ("tree_", None, ()),
    ("init_", "zero", ()),
    ("learning_rate", "fast", ()),
    ("with_mean", "perhaps", ()),
    ("strategy", "most", ()),
    ("handle_unknown", "error", ()),
    ("steps", [], ()),
    ("transformers_", [], ()),
]


def description_edits(members):
    """Yield edits of trees and attributes that a model has."""
    schema = json.loads(members[SCHEMA])
    classes = {n["__class__"] for n in nodes_of(schema) if n.get("__loader__") == "ObjectNode"}
    for cls, edits in ((TREE, TREES), (SEARCH, SEARCHES)):
        for key, name, change in edits:
            new = described(members, _state(members, cls, key, change))
            if new is not None:
                yield f"{cls[0]} {key} {name}", new
    for name, value, only in ATTRIBUTES:
        new = described(members, _attribute(name, value, only or classes))
        if new is not None:
            yield f"{name} = {'removed' if value is ... else value}", new
    for name, change in SWAPS.items():
        new = described(members, change)
        if new is not None:
            yield name, new


def _first(cls, change):
    def edit(schema):
        found = of_class(schema, *cls)
        if not found:
            return None
        change(found[0])
        return {}

    return edit


def _same_number(schema):
    """Give the nodes of a second tree the number of another array, which skops then takes."""
    found = of_class(schema, *TREE)
    if len(found) < 2:
        return None
    first, second = (node["content"]["content"]["nodes"] for node in found[:2])
    second["__id__"] = first["__id__"]
    return {}


SWAPS = {
    "a tree under another loader": _first(TREE, lambda n: n.update(__loader__="LossNode")),
    "a tree as an object": _first(TREE, lambda n: n.update(__loader__="ObjectNode")),
    "another class under the loader of trees": _first(TREE, lambda n: n.update(__class__="list")),
    "a search tree of the other kind": _first(
        ("KDTree",),
        lambda n: n.update(__class__="BallTree", __module__="sklearn.neighbors._ball_tree"),
    ),
    "a search tree without state": _first(SEARCH, lambda n: n.update(content=json_node(None))),
    "two arrays of one number": _same_number,
    "no loader": lambda schema: (schema.pop("__loader__"), {})[1],
    "another protocol": lambda schema: (schema.update(protocol=99), {})[1],
    "a list": lambda schema: (schema.update(__class__="list", __module__="builtins"), {})[1],
}


# --- the card


def card_edits(members):
    """Yield edits of the card: every key removed or of another type, and impossible values."""
    card = json.loads(members[CARD])

    def edited(change):
        new = json.loads(members[CARD])
        change(new)
        return {**members, CARD: json.dumps(new).encode()}

    for path in _paths(card):
        *parents, last = path
        where = ".".join(map(str, path))

        def remove(new, parents=parents, last=last):
            _at(new, parents).pop(last)

        def retype(new, parents=parents, last=last):
            held = _at(new, parents)
            held[last] = 7 if isinstance(held[last], str | list | dict | bool) else "7"

        if isinstance(last, str):
            yield f"card without {where}", edited(remove)
        yield f"card with another type of {where}", edited(retype)
    for where, value in IMPOSSIBLE:
        *parents, last = where

        def impossible(new, parents=parents, last=last, value=value):
            _at(new, parents)[last] = value

        yield f"card with {where} = {value!r}", edited(impossible)
    swapped = edited(lambda new: new.update(positive=new["negative"], negative=new["positive"]))
    yield "card with swapped labels", swapped
    yield "card with columns swapped", edited(lambda new: new["columns"].reverse())
    yield (
        "a card of NaN",
        {**members, CARD: members[CARD].replace(b'"median": ', b'"median": NaN, "x": ')},
    )
    yield (
        "a card of 1e999",
        {**members, CARD: members[CARD].replace(b'"median": ', b'"median": 1e999, "x": ')},
    )
    yield "a card that is a list", {**members, CARD: b"[1]"}
    yield "a card that is empty", {**members, CARD: b""}
    yield "a card that is deep", {**members, CARD: b"[" * 100_000}
    yield "a card of format 1", edited(lambda new: new.update(format=1))
    yield "a card cut off", {**members, CARD: members[CARD][: len(members[CARD]) // 2]}
    yield "a card that is no text", {**members, CARD: b"\xff\xfe\x00"}


def _at(value, path):
    for part in path:
        value = value[part]
    return value


def _paths(value, path=()):
    """Yield the places of a card, of lists the first item only."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list) and key != "members":
            yield from _paths(item, (*path, key))


IMPOSSIBLE = [
    (("auc", "estimate"), 7),
    (("auc", "estimate"), -0.5),
    (("auc", "low"), 0.999),
    (("auc", "high"), 0.001),
    (("auc", "level"), 1),
    (("auc", "level"), 95),
    (("auc", "phi"), -3),
    (("auc", "phi"), 0),
    (("auc", "phi"), 1e300),
    (("auc", "degrees_of_freedom"), 0),
    (("auc", "degrees_of_freedom"), 1e-300),
    (("auc", "n_positive"), 0),
    (("auc", "n_positive"), 10**30),
    (("auc", "n_negative"), 1.5),
    (("positive",), "no"),
    (("negative",), "maybe"),
    (("positive",), ""),
    (("target",), "age"),
    (("format",), 6),
    (("format",), "5"),
    (("scale",), "wins"),
    (("cutoffs", 0, "chosen_for"), "ppv"),
    (("cutoffs", 0, "at_least"), None),
    (("cutoffs", 0, "threshold"), 7),
    (("format",), True),
    (("columns",), []),
    (("columns", 0, "name"), "height"),
    (("columns", 0, "kind"), "categorical"),
    (("columns", 0, "median"), 1e9),
    (("columns", 0, "n_missing"), 10**9),
    (("cutoffs", 0, "threshold"), "Infinity"),
    (("cutoffs", 0, "sensitivity", "estimate"), 2),
    (("cutoffs", 0, "sensitivity", "low"), 0.9999),
    (("cutoffs",), {}),
    (("data", "n_units"), 5),
    (("data", "n_positive"), -1),
    (("data", "rows_read"), 1),
    (("data", "date"), "yesterday"),
    (("data", "rows", "digests"), "zz"),
    (("data", "rows", "digests"), ""),
    (("data", "rows", "key"), ""),
    (("trial",), [0.0, 0.0, 0.0]),
    (("trial",), []),
    (("as_table",), None),
    (("fills_gaps",), "yes"),
    (("classes",), {"a": ["a"], "b": ["b"]}),
    (("classes",), ["a", "b"]),
    (("missing",), [9]),
    (("missing",), [""]),
]


# --- the archive


def damages(content):
    """Yield the bytes of files that are no longer archives, or archives of something else."""
    for k in range(1, 10):
        yield f"cut at {k} tenths", content[: len(content) * k // 10]
    rng = np.random.default_rng(0)
    for k in range(20):
        new = bytearray(content)
        new[int(rng.integers(len(new)))] ^= int(rng.integers(1, 256))
        yield f"a byte changed, {k}", bytes(new)
    for k in range(5):
        at = int(rng.integers(len(content) - 200))
        yield f"200 bytes of zero, {k}", content[:at] + bytes(200) + content[at + 200 :]
    yield "empty", b""
    yield "twice", content + content
    yield "behind others", b"x" * 1000 + content


def member_edits(members):
    """Yield archives with members removed, added, exchanged."""
    names = [name for name in members if name.endswith(".npy")]
    yield "no description", {n: c for n, c in members.items() if n != SCHEMA}
    yield "no card", {n: c for n, c in members.items() if n != CARD}
    yield "one more", {**members, "more.npy": bytes_of(np.zeros(3))}
    yield "an empty description", {**members, SCHEMA: b"{}"}
    yield "a deep description", {**members, SCHEMA: b"[" * 100_000}
    yield "a description that is no text", {**members, SCHEMA: b"\xff\xfe"}
    if names:
        yield "an array less", {n: c for n, c in members.items() if n != names[0]}
        yield "an array that is none", {**members, names[0]: b"\x93NUMPY"}
        huge = bytes_of(np.zeros(3)).replace(b"(3,)", b"(10000000000,)", 1)
        yield "an array of a huge shape", {**members, names[0]: huge}
    if len(names) > 1:
        first, second = names[0], names[-1]
        yield "two arrays exchanged", {**members, first: members[second], second: members[first]}


# --- trying them


def tried(path, table, page):
    """Return what comes of validating a model file."""
    from tlpo.analysis.validate import validate
    from tlpo.document.html import to_html
    from tlpo.document.make import make_document
    from tlpo.document.terminal import to_terminal
    from tlpo.errors import InputError

    try:
        found = validate(str(path), table)
        document = make_document(found)
        to_terminal(document)
        if page:
            to_html(document)
    except InputError as error:
        return f"refused {str(error).splitlines()[0]}"
    except BaseException as error:
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"TRACEBACK {type(error).__name__} {error} at {last.filename}:{last.lineno}"
    return f"used {' '.join(impossible(found))}"


def impossible(found):
    """List what cannot be true in an answer."""
    from tlpo.analysis.relations import find_contradiction

    contradiction = find_contradiction(found)
    wrong = [] if contradiction is None else [f"IMPOSSIBLE {contradiction}"]
    rates = {"C": found.concordance} if hasattr(found, "concordance") else {"auc": found.auc}
    for point in getattr(found, "cutoffs", ()):
        rates[f"{point.point} sensitivity"] = point.sensitivity
        rates[f"{point.point} specificity"] = point.specificity
    for name, one in rates.items():
        for limits in (one, one.development):
            if not 0 <= limits.low <= limits.estimate <= limits.high <= 1:
                wrong.append(f"IMPOSSIBLE {name}")
            if not limits.high - limits.low > 1e-6:
                wrong.append(f"CERTAIN {name}")
        if not -1 <= one.difference.low <= one.difference.high <= 1:
            wrong.append(f"IMPOSSIBLE difference of {name}")
    return wrong


if __name__ == "__main__":
    import signal
    import warnings

    warnings.simplefilter("ignore")

    def too_long(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    for file in sorted(Path(sys.argv[1]).glob("*.skops")):
        signal.alarm(20)
        print(file.stem, end="\t", flush=True)
        print(" ".join(tried(file, sys.argv[2], "--page" in sys.argv).split()), flush=True)
        signal.alarm(0)
