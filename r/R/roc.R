#' As an object of pROC
#'
#' The tournament's scores as an object of class `roc`, to draw, smooth or combine it with pROC's
#' functions. The scores are compared in one direction only: more wins, more positive.
#'
#' Do not take intervals or tests from it. `pROC::ci.auc()` and `pROC::roc.test()` take the scores
#' for values that were measured on each patient independently, but they come from models that
#' share their training rows. [`confint()`][confint.tlpo] is right.
#'
#' Its AUC is that of the ranking, `x$tlpo_auc`; the one to report is `x$auc`. They differ little.
#'
#' @param x A result of [tlpo()] or [tlpo_run()] of two classes.
#' @param quiet Whether to leave out the note on intervals.
#' @param ... Further arguments of `pROC::roc()`.
#' @return An object of class `roc`.
#' @export
as.roc <- function(x, ...) UseMethod("as.roc")

#' @rdname as.roc
#' @export
as.roc.tlpo <- function(x, quiet = FALSE, ...) {
  require_kind(x, "classes", "ROC curves")
  require_package("pROC")
  if (!quiet) {
    message(
      "Take the interval from confint(): ci.auc() of this curve would be wrong, because the ",
      "scores of different rows come from models that share training rows."
    )
  }
  pROC::roc(
    response = factor(x$labels[x$is_positive + 1L], levels = x$labels), predictor = x$scores,
    levels = x$labels, direction = "<", quiet = TRUE, ...
  )
}
