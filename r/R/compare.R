#' Compare models on the same rows
#'
#' The difference of the AUCs (or concordances) of every two models, with an interval and a test
#' that count that the models were fitted to the same rows. If you report only the best of several,
#' report its corrected AUC: the best looks better than it is.
#'
#' @param ... Two or more results of [tlpo()] about the same rows, with names if you like:
#'   `tlpo_compare(glm = a, forest = b)`.
#' @param level The confidence level.
#' @return An object of class `tlpo_comparison`: `differences`, a data frame with one row for every
#'   two models (p-values adjusted by Holm's method in `p_value_holm`, if there are more than two
#'   models); `best`, the best model with its corrected AUC; `analysis`, all the rest.
#'   [tlpo_report()] writes the report.
#' @examplesIf has_tlpo()
#' a <- tlpo(am ~ hp + qsec, mtcars, cores = 1)
#' b <- tlpo(am ~ hp, mtcars, cores = 1)
#' tlpo_compare(both = a, power = b)
#' @export
tlpo_compare <- function(..., level = 0.95) {
  results <- list(...)
  require_share(level, "level")
  is_result <- vapply(results, function(one) inherits(one, "tlpo") && !is.null(one$played), NA)
  if (length(results) < 2L || !all(is_result)) {
    refuse(
      "tlpo_compare() takes two or more results of tlpo().",
      sprintf("You passed %d, %d of them results of tlpo().", length(results), sum(is_result)),
      "Of tlpo_run(), which keeps no games, none can be compared."
    )
  }
  played <- lapply(results, function(one) one$played)
  names <- names(results) %||% rep("", length(results))
  for (k in seq_along(played)) {
    if (nzchar(names[[k]])) played[[k]]$model <- names[[k]]
  }
  models <- make.unique(vapply(played, function(one) one$model, ""), sep = " ")
  for (k in seq_along(played)) played[[k]]$model <- models[[k]]
  require_same_rows(played)
  json <- score_games(played, level)
  analysis <- jsonlite::fromJSON(json)
  structure(
    list(
      differences = analysis$comparisons, best = analysis$choice, level = level,
      measure = measure_of(results[[1L]]), analysis = analysis, json = json
    ),
    class = "tlpo_comparison"
  )
}

require_same_rows <- function(played) {
  first <- played[[1L]]
  for (one in played[-1L]) {
    is_same <- identical(one$frame$table, first$frame$table) &&
      identical(one$frame$rows, first$frame$rows) && identical(one$games$i, first$games$i) &&
      identical(one$games$j, first$games$j)
    if (is_same) next
    refuse(
      "The models were not played on the same rows.",
      sprintf("'%s' has %s, '%s' has %s.", first$model, count(nrow(first$frame$table), "row"),
        one$model, count(nrow(one$frame$table), "row")),
      "Use the same rows, outcome, groups and rounds; leave out incomplete rows for all of them."
    )
  }
}

#' @rdname tlpo_compare
#' @param x A comparison.
#' @param digits Digits after the decimal point.
#' @export
print.tlpo_comparison <- function(x, digits = 3, ...) {
  cat(sprintf("Differences of the %s, with %g%% intervals\n", x$measure, 100 * x$level))
  for (k in seq_len(nrow(x$differences))) {
    one <- x$differences[k, ]
    adjusted <- one$p_value_holm
    cat(sprintf(
      "%s - %s: %s (%s to %s), p = %s%s\n", one$first, one$second, fixed(one$difference, digits),
      fixed(one$low, digits), fixed(one$high, digits), format.pval(one$p_value, digits = 2),
      if (is.null(adjusted) || is.na(adjusted)) {
        ""
      } else {
        sprintf(", Holm %s", format.pval(adjusted, digits = 2))
      }
    ))
  }
  best <- x$best
  if (!is.null(best)) {
    corrected <- best$auc %||% best$concordance
    cat(sprintf(
      "If you report only %s: %s corrected for the choice %s (%s to %s), instead of %s\n",
      best$winner, x$measure, fixed(corrected, digits), fixed(best$low, digits),
      fixed(best$high, digits), fixed(best$uncorrected, digits)
    ))
  }
  invisible(x)
}
