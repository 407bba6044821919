# Playing: for each game a model is fitted without the two rows (and their groups) and asked about
# them. Games are played in batches, and what is finished is written after each.

play_games <- function(games, frame, model, file, cores, on_error, progress) {
  todo <- which(!is_played(games))
  total <- nrow(games)
  saved <- proc.time()[["elapsed"]]
  pause <- 1
  size <- 2L * cores
  bar <- if (progress && length(todo) > size) new_bar(total)
  while (length(todo)) {
    batch <- utils::head(todo, size)
    todo <- utils::tail(todo, -length(batch))
    started <- proc.time()[["elapsed"]]
    answers <- play_batch(batch, games, frame, model, cores)
    games[batch, c("prediction_i", "prediction_j", "error", "warning")] <- answers
    now <- proc.time()[["elapsed"]]
    failed <- nzchar(games$error)
    must_stop <- on_error == "stop" && any(failed)
    if (must_stop || length(todo) == 0L || now - saved > pause) {
      save_games(games, file)
      saved <- proc.time()[["elapsed"]]
      # Writing takes a twentieth of the time at most.
      pause <- max(1, 20 * (saved - now))
    }
    if (must_stop) refuse_failed(games, frame, file)
    if (!is.null(bar)) utils::setTxtProgressBar(bar, sum(is_played(games)))
    # A batch takes two seconds: starting processes costs little, and little is lost by a kill.
    pace <- max(now - started, 1e-3) / length(batch)
    size <- cores * max(1L, min(500L, as.integer(2 / (pace * cores))))
  }
  if (!is.null(bar)) close(bar)
  games
}

new_bar <- function(total) utils::txtProgressBar(0, total, style = 3, file = stderr())

play_batch <- function(batch, games, frame, model, cores) {
  play <- function(k) {
    answer_game(c(games$i[[k]], games$j[[k]]), frame, model, model$seeds[[k]])
  }
  answers <- if (cores == 1L) lapply(batch, play) else play_in_workers(batch, play, cores)
  answers[!is_answer(answers)] <- list(
    c("", "", "The R process that fitted the model died.", "")
  )
  as.data.frame(do.call(rbind, answers), stringsAsFactors = FALSE)
}

# A worker that dies takes the other games of its share along: these are played again, each in a
# process of its own, which leaves the game that kills. The warnings say no more than that.
play_in_workers <- function(batch, play, cores) {
  workers <- function(games, share) {
    suppressWarnings(parallel::mclapply(
      games, play, mc.cores = cores, mc.set.seed = FALSE, mc.preschedule = share
    ))
  }
  answers <- workers(batch, TRUE)
  lost <- which(!is_answer(answers))
  if (length(lost)) answers[lost] <- workers(batch[lost], FALSE)
  answers
}

is_answer <- function(answers) {
  vapply(answers, is.character, NA) & lengths(answers) == 4L
}

# The two predictions as text, the error, the warnings: "" where there is none.
answer_game <- function(held, frame, model, seed) {
  set.seed(seed)
  warned <- character()
  predictions <- tryCatch(
    withCallingHandlers(
      predict_pair(held, frame, model),
      warning = function(w) {
        warned <<- c(warned, one_line(conditionMessage(w)))
        invokeRestart("muffleWarning")
      },
      message = function(m) invokeRestart("muffleMessage")
    ),
    error = function(e) e
  )
  warnings <- paste(unique(warned), collapse = " | ")
  if (inherits(predictions, "error")) {
    return(c("", "", one_line(conditionMessage(predictions)), warnings))
  }
  c(every_digit(predictions), "", warnings)
}

one_line <- function(text) {
  text <- trimws(gsub("[[:space:]]+", " ", enc2utf8(text)))
  if (nzchar(text)) text else "an error without a message"
}

predict_pair <- function(held, frame, model) {
  train <- training_rows(held, frame)
  fitted <- call_fit(
    model$fit, frame$formula, frame$data[train, , drop = FALSE], frame$weights[train], model$args
  )
  # What is asked about comes without its outcome.
  newdata <- frame$data[held, frame$predictors, drop = FALSE]
  answer <- model$predict(fitted, newdata)
  check_answer(answer, frame)
}

training_rows <- function(held, frame) {
  if (is.null(frame$group)) return(seq_along(frame$rows)[-held])
  which(!frame$group %in% frame$group[held])
}

# Call fit(formula, data = ...). Functions such as glm() look for `weights` where the formula was
# made, so everything is put there under names of its own.
call_fit <- function(fit, formula, data, weights = NULL, args = list()) {
  scope <- new.env(parent = environment(formula))
  environment(formula) <- scope
  scope$.tlpo_fit <- fit
  scope$.tlpo_formula <- formula
  scope$.tlpo_data <- data
  call <- quote(.tlpo_fit(.tlpo_formula, data = .tlpo_data))
  if (!is.null(weights)) {
    scope$.tlpo_weights <- weights
    call$weights <- quote(.tlpo_weights)
  }
  for (k in seq_along(args)) {
    name <- paste0(".tlpo_arg", k)
    assign(name, args[[k]], envir = scope)
    call[[length(call) + 1L]] <- as.name(name)
    names(call)[[length(call)]] <- names(args)[[k]]
  }
  eval(call, scope)
}

# Two finite numbers, larger for who should be ranked higher.
check_answer <- function(answer, frame) {
  if (is.data.frame(answer)) answer <- as.matrix(answer)
  positive <- frame$outcome$positive
  if (is.matrix(answer) && ncol(answer) == 1L) answer <- answer[, 1L]
  # Probabilities of both classes, by label; tidymodels calls them .pred_yes.
  column <- match(c(positive, paste0(".pred_", positive)), colnames(answer))
  column <- column[!is.na(column)]
  if (is.matrix(answer) && length(column)) answer <- answer[, column[[1L]]]
  if (is.factor(answer) || is.character(answer)) {
    stop("predict returned labels: it must return a number, such as a probability or a risk")
  }
  if (!(is.numeric(answer) || is.logical(answer)) || length(answer) != 2L) {
    stop(sprintf(
      "predict returned %s instead of two numbers, one for each row of newdata", describe(answer)
    ))
  }
  answer <- as.numeric(answer)
  if (!all(is.finite(answer))) {
    stop(sprintf("predict returned %s", paste(answer[!is.finite(answer)][[1L]])))
  }
  answer
}

describe <- function(answer) {
  if (is.null(answer)) return("NULL")
  if (is.matrix(answer)) return(sprintf("a matrix of %d by %d", nrow(answer), ncol(answer)))
  if (is.atomic(answer)) return(count(length(answer), "value"))
  sprintf("an object of class '%s'", class(answer)[[1L]])
}

# One seed per game, so that a result depends neither on the number of cores nor on interruptions.
game_seeds <- function(seed, n) {
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  sample.int(.Machine$integer.max, n)
}

# Run something that draws random numbers and leave the user's generator as it was.
keep_generator <- function() {
  kinds <- RNGkind()
  state <- get0(".Random.seed", globalenv(), inherits = FALSE)
  function() {
    # The generator before R 3.6 warns when it is chosen.
    suppressWarnings(do.call(RNGkind, as.list(kinds)))
    if (is.null(state)) {
      rm(list = intersect(".Random.seed", ls(globalenv(), all.names = TRUE)), envir = globalenv())
    } else {
      assign(".Random.seed", state, envir = globalenv())
    }
  }
}
