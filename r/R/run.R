#' Tournament leave-pair-out with fast engines
#'
#' Hands a table to `tlpo run`, which knows many models by name and plays most of them without
#' refitting, hundreds to thousands of times faster than fitting each game. It reads the
#' columns itself: it imputes and scales inside every fit, encodes categories, and leaves out
#' columns that cannot be predictors; `summary()` says so.
#'
#' @param data A data frame with one row per patient.
#' @param target The column with the outcome.
#' @param model The name of a model, with parameters as in `"ridge:alpha=10"`; `tlpo models`
#'   in a terminal lists them. Among them are `"glm"`, logistic regression without a penalty,
#'   `"logistic"`, `"lasso"`, `"forest"`, `"svm"` and, for times, `"cox"`.
#' @param positive The positive label. By default the one that reads so, such as `"yes"`, else the
#'   second; the remarks say which.
#' @param group The column that says which rows belong together.
#' @param time,event Instead of `target`, the columns with the time and with who had the event.
#' @param ... Further flags of `tlpo run`, for example `rounds = 20`, `drop = c("id", "visit")`,
#'   `confidence_level = 0.9`, `at = c(12, 36)`, `ordered = TRUE`, `html = "report.html"`.
#' @return An object of class `tlpo`, as [tlpo()] returns; it has no `games`.
#' @examplesIf has_tlpo()
#' result <- tlpo_run(mtcars[c("am", "hp", "qsec")], "am", model = "glm", positive = 1)
#' result
#' @export
tlpo_run <- function(data, target = NULL, model = "ridge", positive = NULL, group = NULL,
                     time = NULL, event = NULL, ...) {
  data <- plain_data(data)
  if (is.null(target) == (is.null(time) || is.null(event))) {
    refuse(
      "Say what is to be predicted.",
      "You passed neither target nor time and event, or both.",
      "For example, tlpo_run(data, \"outcome\") or tlpo_run(data, time = \"months\", event = \"died\")."
    )
  }
  if (!is.character(model) || length(model) != 1L) {
    refuse(
      "tlpo_run() plays one model.", sprintf("You passed model = %s.", shown(model)),
      "Call it once for each model."
    )
  }
  lists <- names(data)[vapply(data, function(column) is.list(column) || is.matrix(column), NA)]
  if (length(lists)) {
    refuse(
      "A column must hold one value per row.", sprintf("%s does not.", briefly(lists)),
      "Leave such columns out, or spread them over several."
    )
  }
  names_of_rows <- row.names(data)
  rows <- rows_with_outcome(data, c(target, time, event))
  folder <- new_folder()
  on.exit(unlink(folder, recursive = TRUE))
  table <- file.path(folder, "data.csv")
  json <- file.path(folder, "result.json")
  write_table(data[rows, , drop = FALSE], table)
  flags <- list(
    target = target, time = time, event = event, model = model, positive = positive, group = group
  )
  call_command(c("run", table, as_flags(c(flags, list(...))), "--json", json, "--quiet"))
  result <- read_analysis(paste(read_text(json), collapse = "\n"))
  # Rows may have been left out for other reasons; then which is not known here.
  if (result$n == length(rows)) {
    result$rows <- rows
    result$row_names <- names_of_rows[rows]
  }
  result
}

rows_with_outcome <- function(data, columns) {
  columns <- intersect(columns, names(data))
  if (length(columns) == 0L) return(seq_len(nrow(data)))
  which(stats::complete.cases(data[columns]))
}

# rounds = 20 becomes --rounds 20, drop = c("a", "b") --drop a b, ordered = TRUE --ordered.
as_flags <- function(values) {
  values <- values[!vapply(values, is.null, NA)]
  if (length(values) && !all(nzchar(names(values) %||% ""))) {
    refuse("Further flags need names.", NULL, "Write them as name = value.")
  }
  flags <- lapply(names(values), function(name) {
    value <- values[[name]]
    flag <- paste0("--", gsub("[_.]", "-", name))
    if (isTRUE(value) && !name %in% c("positive", "group", "target")) return(flag)
    if (identical(value, FALSE) && name != "positive") return(NULL)
    text <- if (is.numeric(value)) every_digit(value) else as.character(value)
    # A value that starts with a hyphen is no flag.
    if (length(text) == 1L) paste0(flag, "=", text) else c(flag, text)
  })
  as.character(unlist(flags))
}
