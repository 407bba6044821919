# The games: drawn by the command, kept in a CSV file while they are played, evaluated by the
# command. Predictions stay the text that was written, so that no digit changes on the way.

GAME_COLUMNS <- c("game", "i", "j", "prediction_i", "prediction_j")

draw_games <- function(frame, rounds, seed) {
  folder <- new_folder()
  on.exit(unlink(folder, recursive = TRUE))
  table <- file.path(folder, "table.csv")
  out <- file.path(folder, "games.csv")
  write_table(frame$table, table)
  call_command(c(
    "games", "draw", table, frame$outcome$flags, frame$group_flags,
    if (!is.null(rounds)) c("--rounds", rounds, "--seed", seed), "--out", out,
    "--quiet"
  ))
  drawn <- utils::read.csv(out, colClasses = "character")
  games <- data.frame(game = as.integer(drawn$game), i = as.integer(drawn$i), j = as.integer(drawn$j))
  n <- nrow(frame$table)
  # The command leaves out rows whose outcome it cannot read; here each of them has one.
  if (!setequal(c(games$i, games$j), seq_len(n))) {
    stop("The games do not belong to the rows: please report this with the outcome's values.",
      call. = FALSE)
  }
  games
}

new_folder <- function() {
  folder <- tempfile("tlpo-")
  dir.create(folder)
  folder
}

# Start a file of games, or continue one that was begun by the same call.
open_games <- function(file, games, run) {
  empty <- rep("", nrow(games))
  games$prediction_i <- empty
  games$prediction_j <- empty
  games$error <- empty
  games$warning <- empty
  games$run <- run
  if (!file.exists(file)) {
    if (!dir.exists(dirname(file))) {
      refuse(
        "The folder of the file does not exist.",
        sprintf("You passed file = %s.", in_quotes(file)),
        sprintf("Create it: dir.create(%s).", in_quotes(dirname(file)))
      )
    }
    save_games(games, file)
    return(games)
  }
  # Whatever else the file may be: it is not read, and refused below.
  kept <- tryCatch(
    suppressWarnings(utils::read.csv(
      file, colClasses = "character", encoding = "UTF-8", na.strings = character()
    )),
    error = function(e) NULL
  )
  if (is.null(kept) || !all(c(GAME_COLUMNS, "run", "error", "warning") %in% names(kept))) {
    refuse(
      "The file holds no games of tlpo().",
      sprintf("You passed file = %s.", in_quotes(file)),
      "Choose another name: an existing file is never overwritten."
    )
  }
  is_same <- nrow(kept) == nrow(games) && all(kept$run == run) &&
    identical(as.integer(kept$i), games$i) && identical(as.integer(kept$j), games$j)
  if (!is_same) {
    refuse(
      "The file belongs to another run.",
      sprintf(
        "%s was written for other data, another formula, model, seed or option.", in_quotes(file)
      ),
      "Pass what you passed then, or another file; delete the file if you no longer need it."
    )
  }
  played <- is_played(kept)
  columns <- c("prediction_i", "prediction_j", "warning")
  games[played, columns] <- kept[played, columns]
  games
}

is_played <- function(games) nzchar(games$prediction_i) & nzchar(games$prediction_j)

# Written beside the file and renamed, so that whoever reads or kills finds the old or the new one.
save_games <- function(games, file) {
  beside <- paste0(file, ".", Sys.getpid(), ".tmp")
  on.exit(unlink(beside))
  predictions <- c("prediction_i", "prediction_j")
  table <- games
  table[predictions] <- lapply(table[predictions], function(text) {
    structure(text, class = "as_written")
  })
  write_table(table, beside)
  if (!file.rename(beside, file)) {
    stop(sprintf("The file %s could not be written.", in_quotes(file)), call. = FALSE)
  }
}

# What a file of games belongs to: everything that decides a prediction, as far as it can be seen.
fingerprint <- function(...) {
  path <- tempfile("tlpo-")
  on.exit(unlink(path))
  # Version 2 writes the values; later ones also how a vector happens to be stored.
  writeBin(serialize(list(...), NULL, version = 2L, xdr = TRUE), path)
  substr(unname(tools::md5sum(path)), 1L, 16L)
}

source_of <- function(f) {
  if (is.null(f)) return("default")
  if (is.primitive(f)) return(deparse(f))
  c(deparse(formals(f), control = NULL), deparse(body(f), control = NULL))
}

# Evaluate one or more files of games about the same rows.
score_games <- function(played, level) {
  folder <- new_folder()
  on.exit(unlink(folder, recursive = TRUE))
  files <- file.path(folder, paste0("games-", seq_along(played), ".csv"))
  for (k in seq_along(played)) save_games(played[[k]]$games, files[[k]])
  table <- file.path(folder, "table.csv")
  json <- file.path(folder, "result.json")
  first <- played[[1L]]
  write_table(first$frame$table, table)
  names <- vapply(played, function(one) one$model, "")
  scales <- unique(vapply(played, function(one) one$scale, ""))
  call_command(c(
    "games", "score", files, "--table", table, first$frame$flags,
    paste0("--name=", names), "--scale", if (length(scales) == 1L) scales else "score",
    "--confidence-level", level, if (length(first$at)) c("--at", every_digit(first$at)),
    if (first$frame$kind == "classes") c("--specificity", every_digit(first$specificity)),
    "--json", json, "--quiet"
  ))
  paste(read_text(json), collapse = "\n")
}
