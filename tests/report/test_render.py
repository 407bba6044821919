"""A summary and its JSON are the same thing: whatever is rendered from either is the same."""

import copy
import io
import json
import math
import subprocess
import sys
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import tlpo
from estimators import Fussy
from report.tables import patients
from tlpo.cli import main
from tlpo.contest import Contest
from tlpo.report import summarize as module
from tlpo.report.figures import draw, write_figures
from tlpo.report.games import pack_games, unpack_games
from tlpo.report.load import find_fault, load_summary, schema
from tlpo.report.models import Model, enter, make_model
from tlpo.report.options import Options, Question, Wanted
from tlpo.report.plain import plain
from tlpo.report.render import to_html, to_json, to_markdown, to_table, to_terminal
from tlpo.report.summarize import summarize
from tlpo.report.understand import understand
from tlpo.report.write import write
from tlpo.schemes.tournament import play_tournament


def summary_of(*names, table=None, options=None, **question):
    table = patients(14).drop(columns="site") if table is None else table
    sample = understand(table, Question("outcome", **question))
    models = [make_model(name, sample) for name in names]
    return summarized(sample, models, options or Options())


def summarized(sample, models, options):
    return summarize(sample, enter(sample, models, options), options, source="patients.csv")


def separated():
    """Perfect discrimination: likelihood ratios without a finite value."""
    table = patients(14)[["patient", "marker", "outcome"]]
    table["marker"] += 100 * (table["outcome"] == "yes")
    return table


def grouped():
    table = patients(20)[["age", "marker", "outcome"]]
    table["person"] = [f"g{k // 2}" for k in range(20)]
    table["outcome"] = np.where(np.arange(20) // 2 % 2, "yes", "no")
    table.loc[1, "marker"] = np.nan
    table.loc[2, "outcome"] = None
    return table


def with_missing_games():
    """One unit cannot be left out by the model, so none of its games is played."""
    sample = understand(patients(14)[["marker", "age", "outcome"]], Question("outcome"))
    first = float(sample.X["marker"].iloc[0])

    def play(contest):
        options = replace(contest.options, on_error="skip")
        fussy = Contest(Fussy(needs=(first,)), contest.problem.X, contest.problem.y, options)
        return play_tournament(fussy)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "play_tournament", play)
        return summarized(sample, [make_model("rls", sample)], Options())


SUMMARIES = {
    "one model": lambda: summary_of("rls"),
    "ties": lambda: summary_of("constant"),
    "groups": lambda: summary_of("rls", "logistic", table=grouped(), group="person"),
    "probabilities": lambda: summary_of("logistic", options=Options(prevalence=0.1)),
    "infinite ratios": lambda: summary_of("rls", table=separated()),
    "missing games": with_missing_games,
    "three models": lambda: summary_of("rls", "lda", "constant"),
}


@pytest.fixture(scope="module", params=SUMMARIES)
def summary(request):
    return SUMMARIES[request.param]()


def printed(summary):
    console = Console(file=io.StringIO(), width=80, highlight=False, color_system=None)
    for part in to_terminal(summary):
        console.print(part)
    return console.file.getvalue()


def test_reloaded_it_renders_the_same(summary, tmp_path):
    wanted = Wanted(
        html=tmp_path / "r.html", json=tmp_path / "r.json", md=tmp_path / "r.md", csv=tmp_path / "t"
    )
    write(summary, wanted)
    reloaded = load_summary(str(tmp_path / "r.json"))
    assert to_html(reloaded) == (tmp_path / "r.html").read_text()
    assert to_markdown(reloaded) == (tmp_path / "r.md").read_text()
    assert printed(reloaded) == printed(summary)
    assert to_table(reloaded).to_csv(index=False) == (tmp_path / "t").read_text()
    assert to_json(reloaded) == (tmp_path / "r.json").read_text()


def test_it_is_plain_json_and_follows_the_schema(summary):
    def kinds(value):
        yield type(value)
        inside = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            for item in inside:
                yield from kinds(item)

    assert set(kinds(summary)) <= {dict, list, str, int, float, bool, type(None)}
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    jsonschema.validate(summary, schema())
    assert find_fault(summary) is None


def test_undefined_and_infinite_numbers_are_shown_as_such():
    """ξ without all games is undefined, and so is the score of a unit without any; 1/0 is not."""
    gaps = SUMMARIES["missing games"]()["models"][0]
    assert gaps["consistency"] is None
    assert gaps["scores"][0] is None
    assert gaps["games"][0] == "." * 13
    summary = SUMMARIES["infinite ratios"]()
    point = summary["models"][0]["operating_points"][0]
    assert point["lr_positive"] == "Infinity"
    assert "∞" in to_html(summary)
    assert summary["models"][0]["curve"]["thresholds"][-1] == "-Infinity"
    with pytest.raises(TypeError, match="Tournament has no place in a summary"):
        plain({"t": tlpo.tournament(tlpo.RLS(), [[k] for k in range(6)], [0, 1] * 3)})


def test_the_figures_are_those_of_the_tournament():
    sample = understand(patients(14).drop(columns="site"), Question("outcome"))
    models = [make_model("rls", sample)]
    summary = summarized(sample, models, Options())
    t = tlpo.tournament(tlpo.RLS(), sample.X.to_numpy(), sample.y, positive="yes")
    part = summary["models"][0]
    np.testing.assert_array_equal(unpack_games(part["games"]), t.win_matrix())
    roc = tlpo.RocDisplay.from_tournament(t, name="rls", specificity=0.9)
    matrix = tlpo.TournamentDisplay.from_tournament(t)
    dots = tlpo.ScoreDisplay.from_tournament(t)
    drawn = draw(summary)
    for name, display in (("roc", roc), ("games-1", matrix), ("scores-1", dots)):
        (axes,) = drawn[name].axes
        expected = display.plot().ax_
        for ours, theirs in zip(axes.lines, expected.lines, strict=True):
            np.testing.assert_array_equal(ours.get_xydata(), theirs.get_xydata())
        for ours, theirs in zip(axes.collections, expected.collections, strict=True):
            assert np.array_equal(ours.get_paths()[0].vertices, theirs.get_paths()[0].vertices)
        for ours, theirs in zip(axes.images, expected.images, strict=True):
            np.testing.assert_array_equal(ours.get_array().data, theirs.get_array().data)


def test_games_survive_packing():
    rng = np.random.default_rng(0)
    wins = np.full((9, 9), np.nan)
    for i in range(9):
        for j in range(i):
            wins[i, j] = rng.choice([0.0, 0.5, 1.0, np.nan])
            wins[j, i] = 1 - wins[i, j]
    np.testing.assert_array_equal(unpack_games(pack_games(wins)), wins)


def test_figures_are_the_same_bytes_each_time(tmp_path):
    summary = SUMMARIES["probabilities"]()
    first = [path.read_bytes() for path in write_figures(summary, tmp_path / "a")]
    again = json.loads(to_json(summary))
    assert [path.read_bytes() for path in write_figures(again, tmp_path / "b")] == first


def test_identifiers_stay_out_of_the_json():
    table = patients(14).drop(columns="site")
    summary = summary_of("rls", table=table)
    text = to_json(summary)
    assert not [name for name in table["patient"] if name in text]
    assert to_table(summary)["row"].tolist() == list(range(1, 15))
    assert to_table(summary, pd.DataFrame({"who": table["patient"]}))["who"].tolist() == list(
        table["patient"]
    )
    groups = SUMMARIES["groups"]()
    assert "g3" not in to_json(groups)


def test_the_words_fit_the_rows():
    """Rows of a table are patients, unless a column says which rows belong together."""
    summary = SUMMARIES["one model"]()
    assert summary["title"] == "How well does rls predict outcome? (patients.csv)"
    page = to_html(summary)
    assert "14 patients" in page
    assert " unit" not in summary["methods"] + " ".join(summary["warnings"])
    groups = SUMMARIES["groups"]()
    assert groups["title"] == "How well do the models predict outcome? (patients.csv)"
    assert "19 rows" in to_html(groups)
    assert "a random row with outcome 'yes'" in groups["models"][0]["sentence"]
    for text in (page, to_html(groups), to_markdown(groups)):
        assert "--" not in text.split("</style>")[-1].replace(" --- ", "").replace("---", "")


def test_a_large_report_stays_small():
    rng = np.random.default_rng(0)
    m = 400
    is_ill = np.arange(m) % 2 == 0
    table = pd.DataFrame(rng.normal(size=(m, 3)) + is_ill[:, None], columns=["a", "b", "c"])
    table["outcome"] = np.where(is_ill, "yes", "no")
    sample = understand(table, Question("outcome"))
    models = [Model(name, tlpo.RLS(lam), "RLS") for name, lam in (("one", 1.0), ("two", 2.0))]
    summary = summarized(sample, models, Options())
    assert len(summary["models"][0]["games"]) == m
    assert len(to_json(summary).encode()) < 1_000_000


def spoiled(summary):
    """Every summary in which one key is missing, or one value is of another kind."""

    def spoil(value, path):
        keys = value if isinstance(value, dict) else range(min(1, len(value)))
        for key in keys:
            at = [*path, key]
            yield at, "removed"
            yield at, "changed"
            if isinstance(value[key], dict | list) and value[key]:
                yield from spoil(value[key], at)

    for path, how in spoil(summary, []):
        spoilt = copy.deepcopy(summary)
        place = spoilt
        for key in path[:-1]:
            place = place[key]
        if how == "removed":
            del place[path[-1]]
        else:
            place[path[-1]] = {"other": "kind"}
        yield path, spoilt


def test_faults_are_those_of_the_schema():
    """Found by our few lines if and only if found by a full validator."""
    summary = SUMMARIES["probabilities"]()
    validator = jsonschema.Draft202012Validator(schema())
    n = 0
    for path, spoilt in spoiled(summary):
        if not validator.is_valid(spoilt):
            assert find_fault(spoilt) is not None, path
            n += 1
        elif find_fault(spoilt) is None:
            assert to_markdown(spoilt), path  # nothing that is needed
    assert n > 200
    for value in (-0.1, 1.1, math.inf, True, "0.5"):
        spoilt = copy.deepcopy(summary) | {"specificity": value}
        assert find_fault(spoilt) in ("'specificity' is out of range", TYPE), value
    longer = copy.deepcopy(summary)
    longer["models"][0]["games"][0] += "1"
    assert find_fault(longer) == "'models[0].games' does not match the number of patients"
    longer["models"][0]["games"][0] = "x"
    assert find_fault(longer) == "'models[0].games[0]' is not of the form ^[01=.]*$"


TYPE = "'specificity' is not of type number"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "result.json"
    path.write_text(to_json(SUMMARIES["one model"]()))
    return path


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda text: "a,b\n1,2\n",
            "The file is not JSON, or it was cut off.\nYou passed {path}: Expecting value: line 1 "
            "column 1 (char 0).\nPass a file that 'tlpo run … --json' wrote, complete.",
        ),
        (
            lambda text: text[: len(text) // 2],
            "The file is not JSON, or it was cut off.\n",
        ),
        (
            lambda text: text.replace('"seed": 0', '"seed": NaN'),
            "The file is not JSON, or it was cut off.\nYou passed {path}: NaN is not JSON.\n",
        ),
        (
            lambda text: "\udcff",
            "The file is not JSON, or it was cut off.\n",
        ),
        (
            lambda text: '[{"schema": 1}]',
            "The file is JSON, but not the summary of a report.\nYou passed {path}.\n"
            "Pass a file that 'tlpo run … --json' wrote.",
        ),
        (
            lambda text: text.replace('"schema": 1,', '"schema": 2,'),
            "The summary follows another schema; this version of tlpo reads schema 1.\nYou passed "
            "{path}, which follows schema 2.\nRender it with the version of tlpo that wrote it, or "
            "run the analysis again.",
        ),
        (
            lambda text: json.dumps({**json.loads(text), "models": [{"name": "rls"}]}),
            "The summary is incomplete or was changed.\nYou passed {path}: 'models[0]' has no "
            "'described'.\nRun the analysis again and keep the JSON as it is written.",
        ),
    ],
)
def test_other_files_are_refused(written, tmp_path, spoil, message):
    path = tmp_path / "other.json"
    path.write_bytes(spoil(written.read_text()).encode(errors="surrogateescape"))
    with pytest.raises(tlpo.InputError) as caught:
        load_summary(str(path))
    assert str(caught.value).startswith(message.format(path=repr(str(path))))
    assert str(caught.value).count("\n") == 2


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["tlpo", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    return ended.value.code or 0, shown.out, shown.err


def test_the_command_line_renders(written, tmp_path, monkeypatch, capsys):
    page, text, table = tmp_path / "page.html", tmp_path / "page.md", tmp_path / "t.csv"
    figures = tmp_path / "figures"
    files = ("--html", page, "--md", text, "--csv", table, "--figures", figures)
    code, out, err = command(monkeypatch, capsys, "render", written, *files)
    assert code == 0, err
    assert "rls ranks a random patient" in " ".join(out.split())
    assert err.splitlines() == [f"Written: {path}" for path in (page, text, table, figures)]
    summary = json.loads(written.read_text())
    assert page.read_text() == to_html(summary)
    assert text.read_text() == to_markdown(summary)
    assert (figures / "roc.svg").exists()
    code, out, err = command(monkeypatch, capsys, "render", written, "--html", written)
    assert (code, out) == (2, "")
    assert err == (
        f"tlpo: --html would overwrite the summary.\nYou passed --html {written}.\n"
        "Pass another path.\n"
    )
    code, out, err = command(monkeypatch, capsys, "render", tmp_path / "none.json")
    assert (code, out) == (1, "")
    assert err.startswith("tlpo: There is no such file.\n")


def test_another_process_renders_the_same_page(written, tmp_path):
    page = tmp_path / "page.html"
    command = (sys.executable, "-m", "tlpo.cli", "render", str(written), "--html", str(page))
    subprocess.run([*command, "--quiet"], check=True, capture_output=True, cwd=tmp_path)
    assert page.read_text() == to_html(json.loads(written.read_text()))
