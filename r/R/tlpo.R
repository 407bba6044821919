#' Tournament leave-pair-out with R's own models
#'
#' For every pair of rows, a model is fitted without both (and without the rows of their groups)
#' and asked about the two: a game. The share of positive-negative pairs in which the positive row
#' gets the larger prediction is the AUC, almost without bias also in small samples. Ranking the
#' rows by their wins gives the ROC curve.
#'
#' The right side of the formula is handed to `fit` as it is, so transformations such as `log(x)` or `poly(x, 2)` are
#' learnt anew from the training rows of every game. Whatever else is learnt from data (scaling,
#' imputation, selection of predictors) belongs inside `fit` too, not before [tlpo()].
#'
#' `n` rows play `n (n - 1) / 2` games. With slow models, `rounds = 20` lets every row play 20
#' others only; the AUC keeps an interval, a wider one.
#'
#' Random fits are reproducible: every game has a seed of its own, derived from `seed`, whatever
#' the number of cores. The random numbers of your session are not touched.
#'
#' @param formula `outcome ~ predictors`. The outcome has two labels (factor, text, logical, two
#'   numbers), or is a number or an ordered factor, or `Surv(time, event)`. A dot stands for all
#'   other columns, except those of `group` and `weights`.
#' @param data A data frame with one row per patient. Rows without an outcome are left out, with a
#'   message.
#' @param fit A function that is called as `fit(formula, data = training_rows, ...)` and returns a
#'   model: one of the [models] that are ready to use, or your own. By default [glm_binomial()] for
#'   two labels, [lm_gaussian()] for numbers and grades, [cox_ph()] for times. A text or factor
#'   outcome reaches `fit` as a factor whose second level is the positive one; two numbers as 0
#'   and 1.
#' @param predict A function that is called as `predict(model, newdata)` with two rows, without
#'   their outcome, and returns two numbers: larger for the positive class, the larger outcome or
#'   the earlier event. A matrix of probabilities with a column named like the positive label will
#'   do. By default [tlpo_response()].
#' @param positive The positive label. By default the second level, which is what [stats::glm()]
#'   predicts; it is stated. The direction is never changed to make an AUC look better.
#' @param group The column that says which rows belong together, such as the patient of several
#'   visits: its name, `~patient`, or one value per row. Rows that share a group with a held-out
#'   row are not trained on.
#' @param weights Weights of the rows, for `fit`: the name of a column, or one value per row. They
#'   take part in the fits, not in the comparisons.
#' @param ... Further arguments of `fit`, by name. Those that follow here must be named too.
#' @param rounds How many others every row plays, at least 10; all of them by default.
#' @param missing What to do with rows that lack a predictor: `"keep"` hands them to `fit`, which
#'   may impute them; `"drop"` leaves them out, with a message.
#' @param on_error What to do when a fit fails: `"stop"` and say why (nothing that was played is
#'   lost), or `"skip"` such games and count them.
#' @param cores How many processes play. On Windows one.
#' @param file A CSV file that keeps the games while they are played. If the run is interrupted or
#'   killed, the same call resumes it. `tlpo games status` shows how far it is.
#' @param seed Seed of fits that draw random numbers, and of `rounds`.
#' @param scale What predictions are: `"probability"` or `"log-odds"` of the positive label, which
#'   add calibration to the report; any `"score"`; or a `"rank"` if they can be compared only
#'   within a game. Known for the [models] that are ready to use, else `"score"`.
#' @param name What the model is called; by default as `fit` is.
#' @param level Confidence level of the intervals.
#' @param specificity The specificity at which [summary.tlpo()] reports the sensitivity.
#' @param at Times at which to report the AUC, for `Surv` outcomes.
#' @param progress Whether to show a bar.
#' @return An object of class `tlpo`, with methods `print`, [`summary`][summary.tlpo],
#'   [`confint`][confint.tlpo], [`plot`][plot.tlpo], [`coords`][coords],
#'   [`as.data.frame`][as.data.frame.tlpo], [as.roc()] and [tlpo_report()]. Its elements:
#'   \item{auc}{the AUC, or the concordance of numbers and times}
#'   \item{interval}{`low`, `high`, `level` and `method`}
#'   \item{scores}{wins of every row, the score that ranks it}
#'   \item{rows}{the rows of `data` that took part}
#'   \item{curve}{`fpr`, `tpr` and `thresholds` of the ROC curve}
#'   \item{games}{every game with its two predictions}
#'   \item{failures, warnings}{games that failed, and warnings of the fits with their number}
#'   \item{analysis}{everything that the command reports, as a list}
#' @examplesIf has_tlpo()
#' cars <- transform(mtcars, gearbox = ifelse(am == 1, "manual", "automatic"))
#' result <- tlpo(gearbox ~ hp + qsec, cars, positive = "manual", cores = 1)
#' result
#' confint(result)
#' coords(result, 0.9, input = "specificity")
#' @export
tlpo <- function(formula, data, fit = NULL, predict = NULL, positive = NULL, group = NULL,
                 weights = NULL, ..., rounds = NULL, missing = c("keep", "drop"),
                 on_error = c("stop", "skip"), cores = 2, file = NULL, seed = 1, scale = NULL,
                 name = NULL, level = 0.95, specificity = 0.9, at = NULL,
                 progress = interactive()) {
  missing <- require_choice(missing[[1L]], c("keep", "drop"), "missing")
  on_error <- require_choice(on_error[[1L]], c("stop", "skip"), "on_error")
  cores <- usable_cores(require_count(cores, "cores"))
  seed <- require_count(seed, "seed", 0L)
  if (!is.null(rounds)) rounds <- require_count(rounds, "rounds", 2L)
  require_share(level, "level")
  require_share(specificity, "specificity")
  check_times(at)
  tlpo_command()
  frame <- make_frame(formula, data, positive, group, weights, missing)
  model <- make_model(fit, predict, substitute(fit), frame, list(...))
  model$scale <- scale_of(model, predict, scale, frame$outcome$kind)
  check_name(name)
  tell_what_is_left_out(frame)

  restore <- keep_generator()
  on.exit(restore(), add = TRUE)
  drawn <- draw_games(frame, rounds, seed)
  model$seeds <- game_seeds(seed, nrow(drawn))
  run <- fingerprint(
    as.list(frame$data), frame$weights, frame$group, deparse(formula), source_of(model$fit),
    source_of(model$predict), model$args, seed
  )
  is_kept <- !is.null(file)
  path <- if (is_kept) path.expand(file) else tempfile("tlpo-games-", fileext = ".csv")
  games <- open_games(path, drawn, run)
  games <- say_if_interrupted(
    play_games(games, frame, model, path, cores, on_error, progress), path
  )
  if (!any(is_played(games))) refuse_failed(games, frame, path)

  played <- list(
    formula = formula, model = name %||% model$name, scale = model$scale,
    frame = forget_features(frame), games = games, specificity = specificity, at = at,
    failures = failures_of(games, frame), warnings = warnings_of(games)
  )
  result <- tryCatch(score_again(played, level), error = function(e) {
    stop(conditionMessage(e), "\n", say_kept(games, path), call. = FALSE)
  })
  warn_once(result)
  if (!is_kept) unlink(path)
  result
}

say_if_interrupted <- function(work, path) {
  withCallingHandlers(work, interrupt = function(i) {
    message("Interrupted. The same call with file = ", in_quotes(path), " resumes.")
  })
}

usable_cores <- function(cores, forks = !is_windows()) {
  if (cores == 1L || forks) return(cores)
  message("R cannot fork processes on Windows: the games are played one after the other.")
  1L
}

require_share <- function(value, name) {
  if (is.numeric(value) && length(value) == 1L && isTRUE(value > 0 && value < 1)) return(value)
  refuse(
    sprintf("%s must lie strictly between 0 and 1.", name),
    sprintf("You passed %s = %s.", name, shown(value)),
    sprintf("For example, %s = 0.9.", name)
  )
}

check_times <- function(at) {
  if (is.null(at) || is.numeric(at) && all(is.finite(at) & at > 0)) return(invisible())
  refuse(
    "at must be positive times.", sprintf("You passed at = %s.", shown(at)),
    "For example, at = c(12, 36)."
  )
}

make_model <- function(fit, predict, expression, frame, args) {
  ready <- list(classes = "glm_binomial", ordered = "lm_gaussian", survival = "cox_ph")
  is_named <- is.name(expression) || is.call(expression) && identical(expression[[1L]], quote(`::`))
  name <- if (is_named) deparse(expression) else "your model"
  if (is.null(fit)) {
    name <- ready[[frame$outcome$kind]]
    fit <- get(name, mode = "function", envir = topenv())
  }
  require_function(fit, "fit", "function(formula, data) glm(formula, binomial, data)")
  if (is.null(predict)) predict <- tlpo_response
  require_function(predict, "predict", "function(model, newdata) predict(model, newdata)")
  if (length(args) && (is.null(names(args)) || !all(nzchar(names(args))))) {
    refuse(
      "Further arguments of fit need names.",
      sprintf("You passed %s without one.", count(sum(!nzchar(names(args) %||% "")), "argument")),
      "Write them as name = value."
    )
  }
  formals <- names(formals(args(fit)))
  if (!any(c("data", "...") %in% formals)) {
    refuse(
      "fit must take the training rows as its argument data.",
      sprintf("Its arguments are %s.", briefly(formals)),
      "For example, fit = function(formula, data) glm(formula, binomial, data)."
    )
  }
  if (!is.null(frame$weights) && !any(c("weights", "...") %in% formals)) {
    refuse(
      "fit takes no weights.",
      sprintf("Its arguments are %s.", briefly(formals)),
      "Give it an argument weights, or leave weights out."
    )
  }
  list(fit = fit, predict = predict, args = args, name = name)
}

# The linear predictor of a logistic model is its log-odds.
scale_of <- function(model, predict, scale, kind) {
  if (!is.null(scale)) {
    return(require_choice(scale, c("score", "probability", "log-odds", "rank"), "scale"))
  }
  if (kind != "classes" || !is.null(predict)) return("score")
  if (identical(model$fit, glm_binomial) || identical(model$fit, cv_glmnet)) return("log-odds")
  if (identical(model$fit, random_forest)) return("probability")
  "score"
}

check_name <- function(name) {
  if (is.null(name) || is.character(name) && length(name) == 1L && !is.na(name) && nzchar(name)) {
    return(invisible())
  }
  refuse("name must be a text.", sprintf("You passed name = %s.", shown(name)), "Leave it out.")
}

`%||%` <- function(a, b) if (is.null(a)) b else a

require_function <- function(value, name, example) {
  if (is.function(value)) return(value)
  refuse(
    sprintf("%s must be a function.", name),
    sprintf("You passed %s = %s.", name, shown(value)),
    sprintf("For example, %s = %s.", name, example)
  )
}

tell_what_is_left_out <- function(frame) {
  if (frame$without_outcome) {
    message(count(frame$without_outcome, "row"), " without an outcome left out.")
  }
  if (frame$incomplete) {
    message(count(frame$incomplete, "row"), " with missing predictors left out.")
  }
  outcome <- frame$outcome
  if (outcome$kind == "classes" && outcome$guessed && !is.logical(outcome$values)) {
    message(sprintf(
      "'%s' counts as positive; choose with positive = \"%s\" or \"%s\".", outcome$positive,
      outcome$labels[[1L]], outcome$labels[[2L]]
    ))
  }
}

# Results keep no features: only the outcome, the groups and which rows took part.
forget_features <- function(frame) {
  outcome <- frame$outcome
  list(
    outcome = outcome$values[frame$rows], kind = outcome$kind, labels = outcome$labels,
    positive = outcome$positive, name = outcome$name, table = frame$table,
    flags = c(outcome$flags, frame$group_flags), rows = frame$rows, names = frame$names,
    group = frame$group, n_read = frame$n_read, without_outcome = frame$without_outcome,
    incomplete = frame$incomplete
  )
}

# Evaluate games that were played, at any confidence level.
score_again <- function(played, level) {
  json <- score_games(list(played), level)
  result <- read_analysis(json)
  frame <- played$frame
  result$rows <- frame$rows
  result$row_names <- frame$names
  result$outcome <- frame$outcome
  result$labels <- frame$labels
  result$outcome_name <- frame$name
  result$model <- played$model
  result$games <- numeric_games(played$games)
  result$failures <- played$failures
  result$warnings <- played$warnings
  result$played <- played
  result
}

numeric_games <- function(games) {
  games <- games[c("game", "i", "j", "prediction_i", "prediction_j")]
  games$prediction_i <- as.numeric(games$prediction_i)
  games$prediction_j <- as.numeric(games$prediction_j)
  games
}

warn_once <- function(result) {
  said <- utils::head(result$warnings, 5L)
  if (nrow(said) == 0L) return(invisible())
  total <- nrow(result$games)
  lines <- sprintf("%s (in %d of %s)", said$warning, said$fits, count(total, "fit"))
  warning(paste(c("The fits gave warnings:", lines), collapse = "\n"), call. = FALSE)
}
