# Fits that fail: how many, which, why, and what can be done about it.

refuse_failed <- function(games, frame, file) {
  failed <- which(nzchar(games$error))
  first <- failed[[1L]]
  held <- c(games$i[[first]], games$j[[first]])
  where <- sprintf("rows %s and %s", frame$names[[held[[1L]]]], frame$names[[held[[2L]]]])
  problem <- sprintf(
    "%s failed, the first without %s (game %d).", count(length(failed), "game"), where,
    games$game[[first]]
  )
  refuse(
    problem,
    games$error[[first]],
    c(
      remedy_for(games$error[[first]], held, frame), say_kept(games, file)
    )
  )
}

say_kept <- function(games, file) {
  sprintf(
    "What was played so far (%s) is kept: the same call with file = %s resumes.",
    count(sum(is_played(games)), "game"), in_quotes(file)
  )
}

remedy_for <- function(error, held, frame) {
  skip <- "on_error = \"skip\" leaves such games out and counts them."
  lonely <- missing_levels(held, frame)
  if (length(lonely)) {
    return(c(
      paste0(lonely, collapse = "\n"),
      paste("Merge rare levels before, or leave these rows out;", skip)
    ))
  }
  gaps <- missing_values(held, frame)
  if (length(gaps) && grepl("returned N[aA]|missing|\\bNA\\b", error)) {
    return(c(
      paste0(gaps, collapse = "\n"),
      paste("missing = \"drop\" leaves such rows out; a fit may also impute them itself;", skip)
    ))
  }
  paste("Correct the fit, or", skip)
}

# Levels of the two held-out rows that no training row has.
missing_levels <- function(held, frame) {
  train <- training_rows(held, frame)
  found <- character()
  for (name in frame$predictors) {
    column <- frame$data[[name]]
    if (!is.factor(column) && !is.character(column)) next
    texts <- as.character(column)
    lost <- setdiff(texts[held], c(texts[train], NA))
    for (level in lost) {
      rows <- frame$names[which(texts == level)]
      found <- c(found, sprintf(
        "Level '%s' of '%s' is only in row %s: a model fitted without has never seen it.",
        level, name, briefly(rows, quote = FALSE)
      ))
    }
  }
  found
}

missing_values <- function(held, frame) {
  found <- character()
  for (row in held) {
    gaps <- names(which(vapply(frame$data[row, frame$predictors, drop = FALSE], anyNA, NA)))
    if (length(gaps)) {
      found <- c(found, sprintf("Row %s has no value of %s.", frame$names[[row]], briefly(gaps)))
    }
  }
  found
}

failures_of <- function(games, frame) {
  failed <- which(nzchar(games$error))
  data.frame(
    game = games$game[failed], row_i = frame$names[games$i[failed]],
    row_j = frame$names[games$j[failed]], error = games$error[failed], stringsAsFactors = FALSE
  )
}

# Each distinct warning, with the number of fits that gave it, most frequent first.
warnings_of <- function(games) {
  said <- unlist(strsplit(games$warning[nzchar(games$warning)], " | ", fixed = TRUE))
  counts <- sort(table(said), decreasing = TRUE)
  data.frame(
    warning = as.character(names(counts)), fits = as.integer(counts), stringsAsFactors = FALSE
  )
}
