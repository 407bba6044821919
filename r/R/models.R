#' Models that are ready to use
#'
#' Functions for the argument `fit` of [tlpo()]. Each is called with the formula and the training
#' rows, and further arguments of [tlpo()] are passed on.
#'
#' * `glm_binomial()`: logistic regression without a penalty, [stats::glm()].
#' * `lm_gaussian()`: linear regression for outcomes that are numbers or grades, [stats::lm()].
#' * `cox_ph()`: Cox regression, `survival::coxph()`.
#' * `cv_glmnet()`: lasso, ridge or elastic net whose penalty is chosen inside every fit by
#'   `glmnet::cv.glmnet()`; logistic, linear or Cox regression depending on the outcome. Pass
#'   `alpha` for the mixture, `s = "lambda.min"` for the smallest error instead of the rule of one
#'   standard error.
#' * `random_forest()`: `randomForest::randomForest()`.
#'
#' Anything else is a function of `formula` and `data` that returns a model:
#' `fit = function(formula, data) ranger::ranger(formula, data, probability = TRUE)`.
#'
#' @param formula,data The formula and the training rows.
#' @param weights Weights of the training rows.
#' @param s The penalty: `"lambda.1se"` or `"lambda.min"`.
#' @param ... Further arguments of the function that fits.
#' @return A fitted model.
#' @examples
#' model <- glm_binomial(am ~ wt, mtcars)
#' tlpo_response(model, mtcars[1:2, ])
#' @name models
NULL

#' @rdname models
#' @export
glm_binomial <- function(formula, data, weights = NULL, ...) {
  call_fit(stats::glm, formula, data, weights, list(family = stats::binomial(), ...))
}

#' @rdname models
#' @export
lm_gaussian <- function(formula, data, weights = NULL, ...) {
  response <- as.character(formula[[2L]])
  if (is.ordered(data[[response]])) data[[response]] <- as.integer(data[[response]])
  call_fit(stats::lm, formula, data, weights, list(...))
}

#' @rdname models
#' @export
cox_ph <- function(formula, data, weights = NULL, ...) {
  require_package("survival")
  call_fit(survival::coxph, formula, data, weights, list(...))
}

#' @rdname models
#' @export
cv_glmnet <- function(formula, data, weights = NULL, s = "lambda.1se", ...) {
  require_package("glmnet")
  frame <- stats::model.frame(formula, data, na.action = stats::na.omit)
  terms <- stats::delete.response(stats::terms(frame))
  x <- model_matrix(terms, frame)
  y <- stats::model.response(frame)
  family <- if (inherits(y, "Surv")) {
    "cox"
  } else if (is.numeric(y) && length(unique(y)) > 2L || is.ordered(y)) {
    "gaussian"
  } else {
    "binomial"
  }
  if (family == "gaussian") y <- as.numeric(y)
  if (is.logical(y)) y <- as.numeric(y)
  args <- list(x = x, y = y, family = family, ...)
  left_out <- stats::na.action(frame)
  if (!is.null(weights)) args$weights <- if (is.null(left_out)) weights else weights[-left_out]
  structure(
    list(
      model = do.call(glmnet::cv.glmnet, args), terms = terms, s = s,
      levels = stats::.getXlevels(terms, frame)
    ),
    class = "tlpo_cv_glmnet"
  )
}

# The design matrix without its intercept, which glmnet adds.
model_matrix <- function(terms, frame) {
  x <- stats::model.matrix(terms, frame)
  x[, colnames(x) != "(Intercept)", drop = FALSE]
}

#' @rdname models
#' @export
random_forest <- function(formula, data, ...) {
  require_package("randomForest")
  response <- as.character(formula[[2L]])
  y <- data[[response]]
  if (is.logical(y) || is.numeric(y) && length(unique(y)) == 2L) data[[response]] <- factor(y)
  if (is.ordered(y) && nlevels(y) > 2L) data[[response]] <- as.integer(y)
  randomForest::randomForest(formula, data = data, ...)
}

require_package <- function(name) {
  if (requireNamespace(name, quietly = TRUE)) return(invisible())
  refuse(
    sprintf("This model needs the package %s.", name),
    "It is not installed.",
    sprintf("install.packages(%s)", in_quotes(name))
  )
}

#' One number per row from a fitted model
#'
#' What [tlpo()] asks a model unless `predict` is given: larger numbers mean that the row is more
#' like the positive class, has a larger outcome, or an earlier event. There are methods for
#' `glm` (the linear predictor, because probabilities round to 0 and 1), `lm`, `coxph` (the linear
#' predictor), `cv_glmnet` (likewise) and `randomForest` (the probability of the positive class).
#' Other models are asked by `predict(model, newdata)`, which must return numbers.
#'
#' @param model A fitted model.
#' @param newdata A data frame.
#' @param ... Further arguments of `predict`.
#' @return A numeric vector, one value per row of `newdata`.
#' @examples
#' model <- glm(am ~ wt, binomial, mtcars)
#' tlpo_response(model, mtcars[1:2, ])
#' @export
tlpo_response <- function(model, newdata, ...) UseMethod("tlpo_response")

#' @export
tlpo_response.default <- function(model, newdata, ...) stats::predict(model, newdata, ...)

#' @export
tlpo_response.glm <- function(model, newdata, ...) {
  stats::predict(model, newdata, type = "link", ...)
}

#' @export
tlpo_response.coxph <- function(model, newdata, ...) {
  # Relative to one patient of the sample: by default the reference is the stratum's own.
  stats::predict(model, newdata, type = "lp", reference = "sample", ...)
}

#' @export
tlpo_response.tlpo_cv_glmnet <- function(model, newdata, ...) {
  frame <- stats::model.frame(
    model$terms, newdata, na.action = stats::na.pass, xlev = model$levels
  )
  x <- model_matrix(model$terms, frame)
  as.numeric(stats::predict(model$model, newx = x, s = model$s, type = "link", ...))
}

#' @export
tlpo_response.randomForest <- function(model, newdata, ...) {
  if (model$type != "classification") return(stats::predict(model, newdata, ...))
  stats::predict(model, newdata, type = "prob", ...)[, 2L]
}
