"""Every learner that the closed form plays, by name, made from a penalty."""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

import tlpo

ALPHAS = [0.0, 1e-8, 1e-3, 1.0, 1e3, 1e10]
ESTIMATORS = {
    "rls": tlpo.RLS,
    "ridge": Ridge,
    "ridge-svd": lambda alpha: Ridge(alpha, solver="svd"),
    "ridge-no-intercept": lambda alpha: Ridge(alpha, fit_intercept=False),
    "ridge-classifier": RidgeClassifier,
    "ols": lambda _: LinearRegression(),
    "ols-no-intercept": lambda _: LinearRegression(fit_intercept=False),
    "kernel-rbf": lambda alpha: KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3),
    "kernel-linear": lambda alpha: KernelRidge(alpha=alpha),
    "kernel-poly": lambda alpha: KernelRidge(alpha=alpha, kernel="poly", degree=2),
    "lda-svd": lambda _: LinearDiscriminantAnalysis(),
    "lda-lsqr": lambda _: LinearDiscriminantAnalysis(solver="lsqr"),
    "lda-eigen": lambda _: LinearDiscriminantAnalysis(solver="eigen"),
}
WEIGHTED = [name for name in ESTIMATORS if not name.startswith("lda")]
