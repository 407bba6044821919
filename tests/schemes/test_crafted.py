"""Journals whose records have a correct checksum and wrong content: their work is done again."""

import json
import struct

import numpy as np
import pytest

import tlpo
from commands.running import command
from hostile import VandalRegressor
from oracles import blobs
from tlpo.execution.framing import bodies, decode, encode, framed
from tlpo.execution.journal import Journal
from tlpo.experiments.repetitions import Rows, repeat

X, y = blobs(10, 2, seed=1)


class Fails(VandalRegressor):
    """Cannot do without the first unit."""

    def fit(self, X, y):
        if not (X == FIRST).all(axis=1).any():
            raise ArithmeticError("where is the first unit?")
        return super().fit(X, y)


FIRST = X[0]
MODEL = VandalRegressor()


def repetitions(journal=None):
    def work(numbers):
        return Rows(np.column_stack([numbers.astype(float), numbers**2]))

    options = {"title": "squares", "n_jobs": 1, "n_columns": 2}
    if journal is None:
        return repeat(work, 20, **options).values
    with Journal(journal) as opened:
        section = opened.part("test", {}).section("squares")
        return repeat(work, 20, section, **options).values


# Everything a journal can hold: what makes it, and what tells results apart.
RUNS = {
    "games": lambda **j: tlpo.tournament(MODEL, X, y, **j).predictions,
    "failed games": lambda **j: tlpo.tournament(Fails(), X, y, on_error="skip", **j).predictions,
    "rounds": lambda **j: tlpo.tournament(MODEL, X, y, rounds=4, random_state=0, **j).scores,
    "held-out sets": lambda **j: tlpo.kfold(MODEL, X, y, n_splits=3, random_state=0, **j).scores,
    "resamples": lambda **j: tlpo.bootstrap(MODEL, X, y, n_resamples=6, random_state=0, **j).auc,
    "quicksort": lambda **j: tlpo.quicksort(MODEL, X, y, n_sorts=2, random_state=0, **j).ranks,
    "permutations": lambda **j: (
        tlpo.permutation_test(MODEL, X, y, n_permutations=4, random_state=0, **j).null_distribution
    ),
    "repetitions": repetitions,
}
FITS = ("games", "failed games", "rounds", "held-out sets", "resamples", "quicksort")


def change(**new):
    return lambda body: encode({**decode(body), **new})


def apply(name, function):
    return lambda body: encode({**decode(body), name: function(decode(body)[name])})


def lose(name):
    return lambda body: encode({k: v for k, v in decode(body).items() if k != name})


def move(**new):
    return lambda body: encode({**decode(body), "": {**decode(body)[""], **new}})


def move_without(name):
    def craft(body):
        values = decode(body)
        del values[""][name]
        return encode(values)

    return craft


def head(function):
    """Change the JSON at the start of a body, and leave the arrays after it."""

    def craft(body):
        (size,) = struct.unpack_from("<I", body)
        text = function(json.loads(body[4 : 4 + size]))
        text = text if isinstance(text, bytes) else json.dumps(text).encode()
        return struct.pack("<I", len(text)) + text + body[4 + size :]

    return craft


def array_entry(k, value):
    def function(found):
        found["arrays"][0][k] = value
        return found

    return head(function)


def with_nan(values):
    values = values.copy()
    values.flat[-1] = np.nan
    return values


FORMS = {
    "empty body": lambda body: b"",
    "three bytes": lambda body: body[:3],
    "head longer than the body": lambda body: struct.pack("<I", 10**9) + body[4:],
    "cut in the head": lambda body: body[:20],
    "an array cut short": lambda body: body[:-8],
    "bytes after the arrays": lambda body: body + bytes(8),
    "not JSON": head(lambda found: b"{"),
    "not text": head(lambda found: b"\xff\xfe{}"),
    "nested too deeply": head(lambda found: b"[" * 100_000),
    "a number of 5000 digits": head(lambda found: b"9" * 5000),
    "a list": head(lambda found: []),
    "null": head(lambda found: None),
    "values are a list": head(lambda found: {**found, "json": []}),
    "no values": head(lambda found: {"arrays": found["arrays"]}),
    "no arrays": head(lambda found: {"json": found["json"]}),
    "arrays in a dict": head(lambda found: {**found, "arrays": {"a": 1}}),
    "an array of two parts": head(lambda found: {**found, "arrays": [["x", "<f8"]]}),
    "an array without a name": array_entry(0, None),
    "an array called place": array_entry(0, ""),
    "an array of objects": array_entry(1, "|O"),
    "an array of text": array_entry(1, "<U2"),
    "an array of dates": array_entry(1, "<M8[ns]"),
    "an array of records": array_entry(1, "<f4,<f4"),
    "an array of arrays": array_entry(1, "(1,)<f8"),
    "an unknown type": array_entry(1, "junk"),
    "no type": array_entry(1, None),
    "a negative shape": array_entry(2, [-1]),
    "an enormous shape": array_entry(2, [10**12]),
    "a shape beyond numbers": array_entry(2, [10**30, 10**30]),
    "a shape of fractions": array_entry(2, [1.5]),
    "a shape of text": array_entry(2, ["3"]),
    "a shape of truth": array_entry(2, [True]),
    "no shape": array_entry(2, None),
    "no place": lose(""),
    "a place that is a list": change(**{"": [1]}),
    "a place that is text": change(**{"": "here"}),
    "part is a number": move(part=3),
    "part is a list": move(part=["tournament"]),
    "run is null": move(run=None),
    "another run": move(run="0123456789abcdef"),
    "section is a number": move(section=3),
    "section is a list": move(section=[]),
    "another section": move(section="nothing of ours"),
    "start below zero": move(start=-1),
    "start is text": move(start="0"),
    "start is a fraction": move(start=0.0),
    "start is true": move(start=True),
    "start is NaN": move(start=float("nan")),
    "stop at start": move(start=1, stop=1),
    "stop before start": move(start=2, stop=1),
    "stop beyond all": move(stop=10**15, of=10**15),
    "stop beyond of": move(of=0),
    "of is null": move(of=None),
    "of is below zero": move(of=-5),
    "format is text": move(format="two"),
    **{f"no {name}": move_without(name) for name in ("part", "run", "section", "start", "stop")},
    "a description of another run": change(fingerprint={"task": "nonsense"}),
    "a description that is a list": change(fingerprint=[]),
    "one more value": change(more=1),
    "warnings are text": change(warnings="none"),
    "warnings are a dict": change(warnings={}),
    "a warning of two parts": change(warnings=[["a", 1]]),
    "a warning that is text": change(warnings=["abcde"]),
    "a warning at line x": change(warnings=[["a", "x", "UserWarning", "t", 1]]),
    "a warning counted by text": change(warnings=[["a", 1, "UserWarning", "t", "1"]]),
    "a warning counted below zero": change(warnings=[["a", 1, "UserWarning", "t", -1]]),
    "a warning counted by truth": change(warnings=[["a", 1, "UserWarning", "t", True]]),
}


def of_array(name):
    """Ways to spoil an array of numbers."""
    return {
        f"{name} NaN": apply(name, lambda v: np.full_like(v, np.nan)),
        f"{name} with one NaN": apply(name, with_nan),
        f"{name} infinite": apply(name, lambda v: np.full_like(v, np.inf)),
        f"{name} minus infinity": apply(name, lambda v: np.full_like(v, -np.inf)),
        f"{name} in single precision": apply(name, lambda v: v.astype(np.float32)),
        f"{name} whole": apply(name, lambda v: np.zeros(v.shape, dtype=np.int64)),
        f"{name} true": apply(name, lambda v: np.ones(v.shape, dtype=bool)),
        f"{name} with other bytes first": apply(name, lambda v: v.astype(">f8")),
        f"{name} of one more dimension": apply(name, lambda v: v[..., None]),
        f"{name} of another number of tasks": apply(
            name, lambda v: v[:1] if len(v) > 1 else np.repeat(v, 120, axis=0)
        ),
        f"{name} one short": apply(name, lambda v: v[:-1]),
        f"{name} one more": apply(name, lambda v: np.concatenate([v, v[:1]])),
        f"{name} empty": apply(name, lambda v: v[:0]),
        f"{name} a number": apply(name, lambda v: np.array(0.5)),
        f"{name} a list": apply(name, lambda v: v.tolist()),
        f"{name} null": change(**{name: None}),
        f"no {name}": lose(name),
    }


def of_json(name, *values):
    """Put values of wrong types and sizes in the place of a number or a list."""
    return {f"{name} = {value!r}": change(**{name: value}) for value in values} | {
        f"no {name}": lose(name)
    }


VALUES = {
    "fits": {
        **of_array("values"),
        "sizes zero": apply("sizes", np.zeros_like),
        "sizes one": apply("sizes", np.ones_like),
        "sizes below zero": apply("sizes", np.negative),
        "sizes of eight bytes": apply("sizes", lambda v: v.astype(np.int64)),
        "sizes as fractions": apply("sizes", lambda v: v.astype(float)),
        "sizes in a row": apply("sizes", lambda v: v[None]),
        "sizes of one": apply("sizes", lambda v: v[:1] if v.size > 1 else v[:0]),
        "sizes a list": apply("sizes", lambda v: v.tolist()),
        "no sizes": lose("sizes"),
        **of_json("ceiling", 0.0, 0.5, -1.0, float("nan"), "1.0", None, True, 1, []),
        **of_json("fits", 0, -1, 0.5, "3", None, True, 10**30, [1]),
        **of_json("failures", None, {}, "none", ["0"], [[]], [[0, 1]], [[0, 1, 2]]),
        "failures of others": change(failures=[[8, 9, "why"], [7, 9, "why"]]),
    },
    "permutations": {
        **of_array("aucs"),
        "aucs above one": apply("aucs", lambda v: v + 1.5),
        "aucs below zero": apply("aucs", lambda v: -v - 0.5),
        **of_json("fits", -1, 0.5, "3", None, True, 10**30, [1]),
        **of_json("failures", None, [], "none", {"why": 0}, {"why": -1}, {"why": "1"}, {"why": 3}),
    },
    "repetitions": {
        **of_array("values"),
        "values of one column": apply("values", lambda v: v[:, :1]),
        "values of three columns": apply("values", lambda v: np.column_stack([v, v[:, 0]])),
        **of_json("names", None, "ab", {}, [1, 2], ["a"], [None]),
        **of_json("seconds", None, "1", -1.0, float("nan"), float("inf"), True, []),
    },
}


def rewrite(path, craft, marker):
    """Craft every record but the description of the run, or those with some value."""
    crafted = b""
    for _, _, body in bodies(path.read_bytes()):
        values = decode(body)
        is_meant = "fingerprint" not in values and marker in values
        crafted += framed(craft(body) if is_meant else body)
    path.write_bytes(crafted)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Every run, its journal's content, and its result without a journal."""
    folder = tmp_path_factory.mktemp("written")
    found = {}
    for name, run in RUNS.items():
        path = folder / f"{name}.tlpo"
        run(journal=path)
        found[name] = (path.read_bytes(), run())
    return found


def test_there_are_many_kinds():
    assert len(FORMS) >= 65
    assert sum(len(crafts) for crafts in VALUES.values()) >= 65


def in_turn(crafts, kinds):
    """Every craft once, and every kind as often as any other."""
    return [(kinds[k % len(kinds)], craft) for k, craft in enumerate(crafts)]


CASES = [
    *in_turn(FORMS, list(RUNS)),
    *(("games", craft) for craft in VALUES["fits"]),
    *in_turn(VALUES["fits"], FITS[1:]),
    *in_turn(VALUES["permutations"], ["permutations"]),
    *in_turn(VALUES["repetitions"], ["repetitions"]),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_crafted_record_is_not_believed(kind, name, written, tmp_path, monkeypatch, capsys):
    craft = {**FORMS, **VALUES.get(kind, VALUES["fits"])}[name]
    content, expected = written[kind]
    path, merged = tmp_path / "run.tlpo", tmp_path / "merged.tlpo"
    path.write_bytes(content)
    is_value = kind == "permutations" and name in VALUES[kind]
    rewrite(path, craft, "aucs" if is_value else "")
    assert path.read_bytes() != content
    for arguments in (("journal", path), ("merge", merged, path)):
        code, out, error = command(monkeypatch, capsys, *arguments)
        assert (code, error) == (0, "")
        assert out
    np.testing.assert_array_equal(RUNS[kind](journal=path), expected)
    size = path.stat().st_size
    assert size > len(b"".join(framed(body) for *_, body in bodies(content))) // 2
    np.testing.assert_array_equal(RUNS[kind](journal=path), expected)
    assert path.stat().st_size == size  # sound records are found beside those that are not
    np.testing.assert_array_equal(RUNS[kind](journal=merged), expected)
