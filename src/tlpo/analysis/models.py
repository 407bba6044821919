"""The models known by name, each with the preparation its features need."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from tlpo.analysis.options import Options
from tlpo.errors import InputError, UsageError, arg, enumerate_briefly, explain
from tlpo.execution.journal import Journal
from tlpo.games.contest import Contest, ContestOptions, describe
from tlpo.plurals import counted
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses, TimeToEvent
from tlpo.tables.build_sample import Sample

# The parameter that says how large the penalty of a linear model is.
PENALTIES = {
    "Cox": "alpha",
    "Ridge": "alpha",
    "RidgeClassifier": "alpha",
    "KernelRidge": "alpha",
    "RLS": "regparam",
    "LogisticRegression": "C",
}
# The parameter that names the penalties from which a model chooses one.
CHOSEN_FROM = {"RidgeClassifierCV": "alphas", "RidgeCV": "alphas", "LogisticRegressionCV": "Cs"}


# What is said of a regression without a penalty.
NO_PENALTY = "no penalty"
# What is said of a model whose coefficients are per standard deviation.
STANDARDISED = "numeric features standardised"


@dataclass(frozen=True)
class Entry:
    """A model known by name.

    Attributes
    ----------
    make : callable or None
        Returns the classifier with its default parameters; None if it knows no classes.
    regressor : callable or None
        Returns the one for numbers and grades.
    survival : callable or None
        Returns the one for times to an event.
    what : str
        A short description.
    scale : bool
        Whether numeric features are standardised inside every fit.
    ties : bool
        Whether many of its comparisons tie, so that its curve is that of leave-pair-out.
    is_of_two : bool
        Whether it knows two classes only.
    """

    make: Callable[[], Any] | None
    what: str
    scale: bool = True
    ties: bool = False
    regressor: Callable[[], Any] | None = None
    survival: Callable[[], Any] | None = None
    is_of_two: bool = False

    def maker(self, outcome: type[Outcome]) -> Callable[[], Any] | None:
        """Return what makes the estimator for a kind of outcome."""
        known = {
            Classes: self.make,
            SeveralClasses: None if self.is_of_two else self.make,
            Ordered: self.regressor,
            TimeToEvent: self.survival,
        }
        return known[outcome]

    @property
    def default(self) -> Any:
        """The estimator for the first kind of outcome that it knows."""
        make = self.make or self.regressor or self.survival
        assert make is not None
        return make()


@dataclass(frozen=True, eq=False)
class Model:
    """An estimator together with its preparation.

    Attributes
    ----------
    name : str
        What the user asked for, such as ``"ridge:alpha=10"``.
    estimator : Any
        The whole pipeline.
    described : str
        Estimator, parameters that are not its defaults, and preparation, for a Methods section.
    is_own : bool
        Whether it is the user's own; then it gets the table unchanged.
    kind : str
        What kind of model it is; empty if only its estimator can tell.
    """

    name: str
    estimator: Any
    described: str
    is_own: bool = False
    kind: str = ""

    @property
    def what(self) -> str:
        """What kind of model it is, for a reader who does not know its name."""
        return self.kind or describe(self.estimator)

    def features(self, sample: Sample) -> Any:
        """Return the features in the form the model takes."""
        return sample.X if self.is_own else features_of(sample)


class ModelRun(NamedTuple):
    """A model and its contest over a sample, which everything in a report shares."""

    model: Model
    contest: Contest


def make_runs(
    sample: Sample,
    models: Sequence[Model],
    options: Options,
    journal: Journal | None = None,
    predictions: bool | None = None,
) -> list[ModelRun]:
    """Make the contest of every model, once; without ``predictions`` only games are kept."""
    outcome = sample.outcome
    return [
        ModelRun(
            model,
            Contest(
                model.estimator,
                model.features(sample),
                sample.y,
                ContestOptions(
                    positive=outcome.positive if isinstance(outcome, Classes) else None,
                    several=sample.is_several,
                    order=True if sample.is_ordered else None,
                    groups=sample.groups,
                    n_jobs=options.n_jobs,
                    progress=options.progress,
                    predictions=predictions,
                    journal=None if journal is None else journal.under(model.name),
                ),
            ),
        )
        for model in models
    ]


def _ridge() -> Any:
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier()


# From hardly any penalty to one that leaves little of a coefficient.
_ALPHAS = tuple(float(f"1e{k}") for k in range(-3, 5))


def _tuned_ridge() -> Any:
    from sklearn.linear_model import RidgeClassifierCV

    return RidgeClassifierCV(_ALPHAS)


def _rls() -> Any:
    from tlpo.learners import RLS

    return RLS()


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    # A tight tolerance leaves few games for the solver's own slack to decide.
    return LogisticRegression(max_iter=1000, tol=1e-6)


def _glm() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=math.inf, max_iter=1000, tol=1e-6)


def _tuned_logistic() -> Any:
    from sklearn.linear_model import LogisticRegressionCV

    model = LogisticRegressionCV(cv=5, scoring="neg_log_loss", max_iter=1000)
    if hasattr(model, "use_legacy_attributes"):  # from scikit-learn 1.8 on
        model.set_params(l1_ratios=(0.0,), use_legacy_attributes=False)
    return model


def _lasso() -> Any:
    from tlpo.learners import ElasticNetLogisticCV

    return ElasticNetLogisticCV()


def _elastic_net() -> Any:
    from tlpo.learners import ElasticNetLogisticCV

    return ElasticNetLogisticCV(l1_ratio=0.5)


def _lda() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _knn() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier()


def _idknn() -> Any:
    from tlpo.learners import InverseDistanceKNN

    return InverseDistanceKNN()


def _bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _pls() -> Any:
    from sklearn.cross_decomposition import PLSRegression

    return PLSRegression()


def _svm() -> Any:
    from sklearn.svm import SVC

    return SVC()


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=0)


def _boosting() -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(random_state=0)


def _constant() -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier()


def _ridge_of_numbers() -> Any:
    from sklearn.linear_model import Ridge

    return Ridge()


def _tuned_ridge_of_numbers() -> Any:
    from sklearn.linear_model import RidgeCV

    return RidgeCV(_ALPHAS)


def _knn_of_numbers() -> Any:
    from sklearn.neighbors import KNeighborsRegressor

    return KNeighborsRegressor()


def _forest_of_numbers() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(random_state=0)


def _boosting_of_numbers() -> Any:
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(random_state=0)


def _mean() -> Any:
    from sklearn.dummy import DummyRegressor

    return DummyRegressor()


def _cox() -> Any:
    from tlpo.learners.cox import Cox

    return Cox()


def _coxnet() -> Any:
    return _scikit_survival("linear_model", "CoxnetSurvivalAnalysis", "coxnet")(
        l1_ratio=0.9, alpha_min_ratio=0.1
    )


def _survival_forest() -> Any:
    kind = _scikit_survival("ensemble", "RandomSurvivalForest", "survival-forest")
    return kind(random_state=0)


def _scikit_survival(module: str, name: str, called: str) -> Any:
    try:
        return getattr(import_module(f"sksurv.{module}"), name)
    except ImportError as error:
        raise UsageError(
            explain(
                "This model needs scikit-survival.",
                f"You passed the model {called!r}.",
                'Install it with: pip install "tlpo[survival]". The model "cox" needs nothing.',
            )
        ) from error


MODELS = {
    "ridge": Entry(
        _ridge,
        "ridge regression, linear with a penalty on large coefficients",
        regressor=_ridge_of_numbers,
    ),
    "ridge-cv": Entry(
        _tuned_ridge,
        "ridge regression whose penalty is chosen inside every fit",
        regressor=_tuned_ridge_of_numbers,
    ),
    "rls": Entry(
        _rls,
        "regularised least squares as in the paper, linear, features unscaled",
        scale=False,
        regressor=_rls,
    ),
    "logistic": Entry(_logistic, "logistic regression with a mild ridge penalty (L2)"),
    "glm": Entry(_glm, "logistic regression without a penalty, as most statistics programs fit it"),
    "logistic-cv": Entry(
        _tuned_logistic,
        "logistic regression whose penalty (L2) is chosen inside every fit",
    ),
    "lasso": Entry(
        _lasso,
        "logistic regression that selects features (L1), its penalty chosen inside every fit",
        scale=False,
        is_of_two=True,
    ),
    "elastic-net": Entry(
        _elastic_net,
        "logistic regression with a penalty between lasso and ridge, chosen inside every fit",
        scale=False,
        is_of_two=True,
    ),
    "lda": Entry(_lda, "linear discriminant analysis"),
    "knn": Entry(_knn, "nearest neighbours", ties=True, regressor=_knn_of_numbers),
    "idknn": Entry(
        _idknn,
        "nearest neighbours weighted by inverse distance, as in the paper",
        is_of_two=True,
    ),
    "bayes": Entry(_bayes, "naive Bayes (Gaussian)", scale=False),
    "pls": Entry(
        _pls,
        "partial least squares with two components",
        scale=False,
        regressor=_pls,
        is_of_two=True,
    ),
    "svm": Entry(_svm, "support vector machine"),
    "forest": Entry(_forest, "random forest", scale=False, regressor=_forest_of_numbers),
    "boosting": Entry(
        _boosting, "gradient boosting", scale=False, ties=True, regressor=_boosting_of_numbers
    ),
    "constant": Entry(
        _constant,
        "class frequencies only: a sanity check, AUC 0.5",
        scale=False,
        ties=True,
        regressor=_mean,
    ),
    "cox": Entry(
        None, "Cox regression with a penalty on large coefficients (ridge)", survival=_cox
    ),
    "coxnet": Entry(None, "Cox regression that selects features (elastic net)", survival=_coxnet),
    "survival-forest": Entry(
        None, "random survival forest", scale=False, survival=_survival_forest
    ),
}
# Patients of the smallest class for every coefficient of a model without a penalty.
ENOUGH_EVENTS = 10
# What a model is there, if it is something else.
ORDERED_WHAT = {"constant": "the mean of the training set only: a sanity check, concordance 0.5"}


class Default(NamedTuple):
    """The model that is played unless others are asked for, and why this one."""

    name: str
    why: str


def default_model(sample: Sample) -> Default:
    """Return one without a penalty if there are enough patients for every coefficient."""
    outcome = sample.outcome
    if isinstance(outcome, TimeToEvent):
        return Default("cox", MODELS["cox"].what)
    if isinstance(outcome, Ordered):
        return Default("ridge", MODELS["ridge"].what)
    if isinstance(outcome, Classes):
        fewest, size = min(outcome.n_positive, outcome.n_negative), "smaller"
        free, penalised = "glm", "logistic"
    else:
        assert isinstance(outcome, SeveralClasses)
        fewest, size = int(outcome.sizes.min()), "smallest"
        free, penalised = "lda", "ridge"
    n = sample.n_coefficients
    is_enough = ENOUGH_EVENTS * n <= fewest
    name = free if is_enough else penalised
    return Default(
        name,
        f"{MODELS[name].what}; {counted(n, 'coefficient')} for {fewest} in the {size} class, "
        f"{'at least' if is_enough else 'fewer than'} {ENOUGH_EVENTS} each",
    )


def make_model(spec: str, sample: Sample) -> Model:
    """Turn ``name``, ``name:parameter=value,…`` or ``package.module:attribute`` into a model."""
    name, _, rest = spec.partition(":")
    if name in MODELS:
        entry = MODELS[name]
        estimator = _estimator(name, entry, type(sample.outcome))
        if rest:
            _set_parameters(estimator, name, rest)
        _require_features(name, estimator, sample)
        pipeline = prepare(estimator, sample, entry.scale)
        what = ORDERED_WHAT.get(name, entry.what) if sample.is_ordered else entry.what
        return Model(spec.rstrip(":"), pipeline, _describe(estimator, pipeline), kind=what)
    if rest and "=" not in rest:
        own = _import(name, rest)
        return Model(spec, own, describe_parameters(own), is_own=True)
    near = get_close_matches(name, list(MODELS), 1)
    raise UsageError(
        explain(
            "There is no such model.",
            f"You passed {spec!r}.",
            (f"Did you mean {near[0]!r}? " if near else "")
            + f"Choose from {', '.join(MODELS)}, or pass your own as package.module:attribute.",
        )
    )


def is_own(spec: str) -> bool:
    """Return whether a model is the user's own, by its name.

    Examples
    --------
    >>> is_own("ridge:alpha=10"), is_own("package.module:attribute")
    (False, True)
    """
    return spec.partition(":")[0] not in MODELS


_OUTCOMES: dict[type[Outcome], str] = {
    Classes: "two classes",
    SeveralClasses: "several classes",
    Ordered: "numbers or grades",
    TimeToEvent: "times to an event",
}


def _estimator(name: str, entry: Entry, outcome: type[Outcome]) -> Any:
    make = entry.maker(outcome)
    if make is not None:
        return make()
    known = [other for other, found in MODELS.items() if found.maker(outcome) is not None]
    own = [words for kind, words in _OUTCOMES.items() if entry.maker(kind) is not None]
    cut = (
        f", or cut the outcome into two classes, for example {arg('target', 'column >= 5')}"
        if outcome is Ordered
        else ""
    )
    raise UsageError(
        explain(
            "The model cannot be used here.",
            f"{name!r} is a model of {own[0]}, and the outcome is {_OUTCOMES[outcome]}.",
            f"Choose from {', '.join(known)}{cut}.",
        )
    )


def _require_features(name: str, estimator: Any, sample: Sample) -> None:
    """Refuse more components than there are features; a category is encoded as several."""
    wanted, n = estimator.get_params().get("n_components"), sample.X.shape[1]
    if not isinstance(wanted, int) or wanted <= n or sample.categorical:
        return
    raise UsageError(
        explain(
            f"The model {name!r} needs as many features as it has components.",
            f"It has {wanted} components, and the table has {counted(n, 'feature')}: "
            f"{enumerate_briefly(list(sample.X.columns))}.",
            f"Use {f'{name}:n_components={n}'!r}, or more features.",
        )
    )


def prepare(estimator: Any, sample: Sample, scale: bool) -> Any:
    """Put the preparation in front of an estimator, to be fitted within every training set."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    gaps = bool(sample.X.isna().to_numpy().any())
    numeric = [SimpleImputer(strategy="median", keep_empty_features=True)] if gaps else []
    if not sample.categorical:
        steps = [*numeric, *([StandardScaler()] if scale else [])]
        return make_pipeline(*steps, estimator) if steps else estimator
    if scale:
        numeric.append(StandardScaler())
    categorical = [
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    ]
    columns = ColumnTransformer(
        [
            ("numeric", make_pipeline(*numeric) if numeric else "passthrough", sample.numeric),
            ("categorical", make_pipeline(*categorical), sample.categorical),
        ]
    )
    return make_pipeline(columns, estimator)


def _describe(estimator: Any, pipeline: Any) -> str:
    parts = [describe_parameters(estimator)]
    steps = describe(pipeline)
    if "ColumnTransformer" in steps or "OneHot" in steps:
        parts.append("categorical features one-hot encoded")
    if "StandardScaler" in repr(pipeline):
        parts.append(STANDARDISED)
    return ", ".join(parts)


def describe_parameters(estimator: Any) -> str:
    """Name an estimator and the parameters that are not its defaults, those we set included.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> describe_parameters(SVC(C=10)), describe_parameters(SVC())
    ('SVC with C=10', 'SVC with default parameters')
    """
    if hasattr(estimator, "steps"):
        return " → ".join(
            describe_parameters(step) for _, step in estimator.steps if hasattr(step, "fit")
        )
    usual = {
        key: parameter.default
        for key, parameter in signature(type(estimator).__init__).parameters.items()
    }
    params, name = estimator.get_params(deep=False), type(estimator).__name__
    among = CHOSEN_FROM.get(name)
    changed = [
        f"{key}={' '.join(repr(value).split())}"
        for key, value in params.items()
        if key != among and (key not in usual or repr(value) != repr(usual[key]))
    ]
    text = f"{name} with {', '.join(changed) or 'default parameters'}"
    penalty = describe_penalty(estimator)
    return text if penalty is None else f"{text} ({penalty})"


def describe_penalty(estimator: Any) -> str | None:
    """Name the penalty of a linear model and its size, or None.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression, RidgeClassifier
    >>> describe_penalty(LogisticRegression()), describe_penalty(LogisticRegression(C=float("inf")))
    ('L2 penalty, C = 1', 'no penalty')
    >>> describe_penalty(RidgeClassifier(alpha=10)), describe_penalty(RidgeClassifier(alpha=0))
    ('L2 penalty, alpha = 10', 'no penalty')
    >>> from sklearn.linear_model import RidgeCV
    >>> describe_penalty(RidgeCV())
    'L2 penalty chosen by leave-one-out inside every training set from 3 values of 0.1 to 10'
    >>> from sklearn.linear_model import LogisticRegressionCV
    >>> describe_penalty(LogisticRegressionCV())
    'L2 penalty chosen in 5 folds inside every training set from 10 values of C, 0.0001 to 10000'
    """
    name, params = type(estimator).__name__, estimator.get_params(deep=False)
    if name == "ElasticNetLogisticCV":
        return _describe_elastic_net(params)
    if name in CHOSEN_FROM:
        return _describe_choice(name, params)
    key = PENALTIES.get(name, "")
    size, penalty, share = params.get(key), params.get("penalty"), params.get("l1_ratio") or 0.0
    # Whoever types a model may pass anything, which its fit refuses.
    if not isinstance(size, Real) or not isinstance(share, Real):
        return None
    amount = f"{key} = {float(size):g}"
    if name != "LogisticRegression":
        return f"L2 penalty, {amount}" if size else NO_PENALTY
    if penalty is None or math.isinf(size):
        return NO_PENALTY
    if penalty == "l1" or (penalty != "l2" and share == 1.0):
        return f"L1 penalty, {amount}"
    kind = f"elastic net, L1 share {float(share):g}" if 0 < float(share) < 1 else "L2 penalty"
    return f"{kind}, {amount}"


def _describe_choice(name: str, params: Mapping[str, Any]) -> str | None:
    """Say from which penalties a model chooses, and how."""
    among, folds = params[CHOSEN_FROM[name]], params.get("cv")
    what = "values"
    if name == "LogisticRegressionCV":
        what, folds = "values of C,", 5 if folds is None else folds
        if isinstance(among, int):
            among = np.logspace(-4, 4, among)
    sizes = np.atleast_1d(among)
    if not np.issubdtype(sizes.dtype, np.number):
        return None
    how = "by leave-one-out" if folds is None else f"in {folds} folds"
    if params.get("scoring") == "neg_log_loss":
        how = f"by log loss {how}"
    to = f"{sizes.min():g} to {sizes.max():g}"
    to = to if what.endswith(",") else f"of {to}"
    return f"L2 penalty chosen {how} inside every training set from {sizes.size} {what} {to}"


def _describe_elastic_net(params: Mapping[str, Any]) -> str | None:
    share, folds, sizes = params["l1_ratio"], params["n_folds"], params["n_penalties"]
    rules = {"min": "the smallest deviance", "1se": "the largest within one standard error"}
    if not isinstance(share, Real) or params["choice"] not in rules:
        return None
    kind = "L1 penalty" if share == 1 else f"elastic net, L1 share {float(share):g}"
    return (
        f"{kind} chosen inside every training set from {sizes} values in {folds} folds: "
        f"{rules[params['choice']]}; features standardised inside"
    )


def features_of(sample: Sample) -> Any:
    """Return the features in the form models take: an array if all are numbers.

    Levels with few patients are one level: an encoder holds the names of its levels, and a saved
    model would pass them on.
    """
    if not sample.categorical:
        return sample.X.to_numpy(float)
    X = sample.X.copy(deep=False)
    for name, levels in sample.levels.items():
        if levels.rare:
            X[name] = np.array(levels.pool(X[name].tolist()), dtype=object)
    return X


def _set_parameters(estimator: Any, name: str, text: str) -> None:
    known = estimator.get_params()
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or key not in known:
            near = get_close_matches(key, list(known), 1)
            raise UsageError(
                explain(
                    f"The model {name!r} has no such parameter.",
                    f"You passed {part!r}.",
                    (f"Did you mean {near[0]!r}? " if near else "")
                    + f"It has {', '.join(sorted(known))}.",
                )
            )
        estimator.set_params(**{key: parse_value(value.strip())})


def parse_value(text: str) -> Any:
    """Read a number, true, false or none; anything else is text. Nothing is evaluated.

    Examples
    --------
    >>> [parse_value(text) for text in ("3", "1e-3", "true", "none", "l2", "__import__('os')")]
    [3, 0.001, True, None, 'l2', "__import__('os')"]
    """
    word = text.lower()
    if word in ("true", "false", "none", "null"):
        return {"true": True, "false": False}.get(word)
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return text if math.isnan(number) else number


def describe_error(error: BaseException) -> str:
    """Return kind and first line of an error, which may have no text at all."""
    lines = str(error).strip().splitlines()
    return ": ".join([type(error).__name__, *lines[:1]])


def _import(module: str, attribute: str) -> Any:
    """Return an estimator of the user's; whatever its module does on import is done."""
    import sys

    if "" not in sys.path:  # as Python itself does, for modules in the working directory
        sys.path.insert(0, "")
    try:
        found = getattr(import_module(module), attribute)
        is_estimator = hasattr(found, "fit") and not isinstance(found, type)
        if callable(found) and not is_estimator:
            found = found()
    # The module is the user's and may raise anything, or end the process: then without an answer.
    except (Exception, SystemExit) as error:
        raise InputError(
            explain(
                "The model cannot be imported.",
                f"You passed '{module}:{attribute}': {describe_error(error)}.",
                "Pass package.module:attribute, from a module that can be imported here.",
            )
        ) from error
    if not (hasattr(found, "fit") and hasattr(found, "get_params")):
        raise InputError(
            explain(
                "The model is not an estimator.",
                f"You passed '{module}:{attribute}', of type {type(found).__name__}.",
                "Pass a scikit-learn estimator, or a function that returns one.",
            )
        )
    return found
