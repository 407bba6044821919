# Where the package is checked for good, a missing command is a failure and not a reason to skip.
skip_without_tlpo <- function() {
  if (!has_tlpo() && !nzchar(Sys.getenv("TLPO_REQUIRED"))) skip("The command tlpo is not there.")
}

make_patients <- function(n, seed = 1) {
  set.seed(seed)
  x <- rnorm(n)
  z <- rexp(n)
  site <- factor(sample(c("north", "south", "west"), n, replace = TRUE))
  outcome <- ifelse(x + z + rlogis(n) > 1, "yes", "no")
  data.frame(outcome, x, z, site)
}

# All pairs, for what needs no command.
all_games <- function(n) {
  pairs <- utils::combn(n, 2L)
  data.frame(game = seq_len(ncol(pairs)), i = pairs[1L, ], j = pairs[2L, ])
}

# Play all games in this process, without the command.
play <- function(formula, data, fit = NULL, predict = NULL, positive = NULL, group = NULL,
                 weights = NULL, missing = "keep", cores = 1L, on_error = "stop", seed = 1L,
                 file = tempfile(fileext = ".csv"), ...) {
  frame <- make_frame(formula, data, positive, group, weights, missing)
  model <- make_model(fit, predict, quote(fit), frame, list(...))
  drawn <- all_games(nrow(frame$table))
  restore <- keep_generator()
  on.exit(restore())
  model$seeds <- game_seeds(seed, nrow(drawn))
  games <- open_games(file, drawn, "test")
  list(
    games = play_games(games, frame, model, file, cores, on_error, FALSE), frame = frame,
    file = file
  )
}

# The definition: a plain loop over pairs. Wins of every row, and the AUC of opposite pairs.
loop <- function(data, is_positive, respond, group = seq_len(nrow(data))) {
  n <- nrow(data)
  wins <- numeric(n)
  won <- played <- 0
  for (i in seq_len(n - 1L)) {
    for (j in seq(i + 1L, n)) {
      train <- which(group != group[[i]] & group != group[[j]])
      p <- respond(train, c(i, j))
      first <- if (abs(p[[1L]] - p[[2L]]) <= 1e-13) 0.5 else as.numeric(p[[1L]] > p[[2L]])
      wins[[i]] <- wins[[i]] + first
      wins[[j]] <- wins[[j]] + 1 - first
      if (is_positive[[i]] != is_positive[[j]]) {
        played <- played + 1
        won <- won + if (is_positive[[i]]) first else 1 - first
      }
    }
  }
  list(wins = wins, auc = won / played)
}

predictions <- function(games) cbind(as.numeric(games$prediction_i), as.numeric(games$prediction_j))
