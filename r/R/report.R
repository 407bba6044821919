#' Write a report
#'
#' The report of the command `tlpo`, to attach to a paper: curves with limits, operating points, a
#' Methods paragraph, checklists.
#'
#' @param x A result of [tlpo()], [tlpo_run()] or [tlpo_compare()].
#' @param file The report. Its ending says what is written: `.html`, `.pdf`, `.docx`, `.md` or
#'   `.json`.
#' @return The path, invisibly.
#' @export
tlpo_report <- function(x, file) {
  if (!inherits(x, c("tlpo", "tlpo_comparison"))) {
    refuse("x must be a result of tlpo(), tlpo_run() or tlpo_compare().", sprintf("You passed %s.", shown(x)))
  }
  file <- path.expand(file)
  ending <- tolower(tools::file_ext(file))
  require_choice(ending, c("html", "pdf", "docx", "md", "json"), "ending")
  if (ending == "json") {
    write_json(x$json, file)
    return(invisible(file))
  }
  folder <- new_folder()
  on.exit(unlink(folder, recursive = TRUE))
  json <- file.path(folder, "result.json")
  write_json(x$json, json)
  flag <- if (ending == "md") "--md" else "--html"
  call_command(c("render", json, flag, file, "--quiet"))
  invisible(file)
}

write_json <- function(text, path) {
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(enc2utf8(text), connection, useBytes = TRUE)
}
