#' Print and summarise
#'
#' `print` gives the AUC (of numbers and times the concordance C) with its interval; `summary` adds
#' the sensitivity at the chosen specificity, operating points, remarks, and which games failed.
#'
#' @param x,object A result of [tlpo()] or [tlpo_run()].
#' @param digits Digits after the decimal point.
#' @param ... Not used.
#' @return The object, invisibly.
#' @name summary.tlpo
NULL

#' @rdname summary.tlpo
#' @export
print.tlpo <- function(x, digits = 3, ...) {
  cat("Tournament leave-pair-out of ", x$model, "\n", sep = "")
  cat(who_played(x), "\n", sep = "")
  cat(answer_line(x, digits), "\n", sep = "")
  if (x$kind == "survival") {
    for (one in x$at) {
      cat(sprintf(
        "AUC at time %s: %s (%s to %s)\n", format(one$time, digits = 4), fixed(one$auc, digits),
        fixed(one$low, digits), fixed(one$high, digits)
      ))
    }
  }
  cat(trouble_lines(x), sep = "")
  invisible(x)
}

fixed <- function(value, digits) formatC(value, digits = digits, format = "f")

who_played <- function(x) {
  games <- count(x$n_games, "game")
  rows <- count(x$n, "row")
  if (x$kind != "classes") return(sprintf("%s, %s", rows, games))
  sprintf(
    "%s: %d '%s' (positive), %d '%s'; %s", rows, sum(x$is_positive), x$labels[[2L]],
    sum(!x$is_positive), x$labels[[1L]], games
  )
}

answer_line <- function(x, digits) {
  if (is.null(x$interval$low)) return(sprintf("%s %s", measure_of(x), fixed(x$auc, digits)))
  sprintf(
    "%s %s (%g%% interval %s to %s)", measure_of(x), fixed(x$auc, digits), 100 * x$interval$level,
    fixed(x$interval$low, digits), fixed(x$interval$high, digits)
  )
}

trouble_lines <- function(x) {
  lines <- character()
  if (NROW(x$failures)) {
    lines <- sprintf(
      "%s left out\n", count(nrow(x$failures), "game that failed was", "games that failed were")
    )
  }
  if (NROW(x$warnings)) {
    lines <- c(lines, sprintf(
      "%s: %s\n", count(x$warnings$fits[[1L]], "fit warns", "fits warn"), x$warnings$warning[[1L]]
    ))
  }
  lines
}

#' @rdname summary.tlpo
#' @export
summary.tlpo <- function(object, ...) {
  structure(list(result = object), class = "summary.tlpo")
}

#' @rdname summary.tlpo
#' @export
print.summary.tlpo <- function(x, digits = 3, ...) {
  result <- x$result
  print(result, digits = digits)
  if (result$kind == "classes") {
    s <- result$sensitivity
    cat(sprintf(
      "Sensitivity at specificity %g: %s (%s to %s)\n", s$specificity, fixed(s$sensitivity, digits),
      fixed(s$low, digits), fixed(s$high, digits)
    ))
    cat("\nOperating points\n")
    shown <- result$operating_points
    is_number <- vapply(shown, is.numeric, NA)
    shown[is_number] <- lapply(shown[is_number], round, digits)
    print(
      shown[c("point", "threshold", "sensitivity", "specificity", "ppv", "npv")], row.names = FALSE
    )
  }
  if (result$kind == "survival") cat(sprintf("Uno's C %s\n", fixed(result$uno, digits)))
  if (result$kind == "several") {
    cat("\nEvery two classes\n")
    print(result$pairs[c("first", "second", "auc", "low", "high")], digits = digits,
      row.names = FALSE)
  }
  if (!is.null(result$consistency)) {
    cat(sprintf("\nConsistency of the games %s\n", fixed(result$consistency, digits)))
  }
  if (NROW(result$failures)) {
    cat("\nFailed games\n")
    print(failure_counts(result$failures), row.names = FALSE)
  }
  if (length(result$remarks)) cat("\n", paste0(strwrap(result$remarks, 80L), "\n"), sep = "")
  invisible(x)
}

failure_counts <- function(failures) {
  counts <- sort(table(failures$error), decreasing = TRUE)
  first <- match(names(counts), failures$error)
  data.frame(
    games = as.integer(counts), first = failures$game[first], error = names(counts),
    stringsAsFactors = FALSE
  )
}

#' The interval of the AUC
#'
#' The interval of the AUC, or of the concordance, whose coverage was measured by simulation. It
#' counts that models share training rows. An interval of `pROC::ci.auc()` does not: it takes the
#' scores for values that were measured on each patient independently.
#'
#' @param object A result of [tlpo()] or [tlpo_run()].
#' @param parm Not used.
#' @param level The confidence level; by default that of the result. For another, the games are
#'   evaluated again, which takes a few seconds.
#' @param ... Not used.
#' @return A matrix with one row and two columns.
#' @export
confint.tlpo <- function(object, parm, level = object$interval$level, ...) {
  require_share(level, "level")
  if (is.null(object$interval$low)) {
    refuse("This result has no interval.", NULL, "Play all games, or at least 10 rounds.")
  }
  if (!isTRUE(all.equal(level, object$interval$level))) {
    if (is.null(object$played)) {
      refuse(
        "The interval at another level needs the games.",
        sprintf("The result of tlpo_run() has level %g.", object$interval$level),
        sprintf("Call tlpo_run(..., confidence_level = %g).", level)
      )
    }
    object <- score_again(object$played, level)
  }
  tails <- c(1 - level, 1 + level) / 2
  matrix(
    c(object$interval$low, object$interval$high), 1L,
    dimnames = list(measure_of(object), paste(format(100 * tails, trim = TRUE, digits = 3), "%"))
  )
}

#' The rows with their scores
#'
#' @param x A result of [tlpo()] or [tlpo_run()].
#' @param row.names,optional,... Not used.
#' @return A data frame with one row for each row of the data that took part: its number `row`, its
#'   row name, the outcome (`time` and `event`) and `score`, the number of wins. The scores
#'   rank the rows; they are no probabilities.
#' @export
as.data.frame.tlpo <- function(x, row.names = NULL, optional = FALSE, ...) {
  require_kind(x, c("classes", "ordered", "survival"), "Scores of single rows")
  known <- !is.null(x$rows)
  table <- data.frame(row = if (known) x$rows else seq_along(x$scores))
  table$name <- if (known) x$row_names else as.character(table$row)
  outcome <- x$outcome
  if (x$kind == "survival") {
    if (is.null(outcome)) outcome <- cbind(time = x$analysis$time, status = x$analysis$event)
    table$time <- as.numeric(outcome[, "time"])
    table$event <- as.logical(outcome[, "status"])
  } else {
    if (is.null(outcome)) {
      outcome <- if (x$kind == "classes") x$labels[x$is_positive + 1L] else x$analysis$outcome
    }
    table$outcome <- outcome
  }
  table$score <- x$scores
  table
}

require_kind <- function(x, kinds, what) {
  if (x$kind %in% kinds) return(invisible())
  words <- c(
    classes = "two classes", ordered = "numbers or grades", survival = "times to an event",
    several = "several classes"
  )
  refuse(
    sprintf("%s need %s.", what, paste(words[kinds], collapse = ", or ")),
    sprintf("The outcome of this result has %s.", words[[x$kind]]),
    "See summary() for what there is."
  )
}
