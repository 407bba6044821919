#' The command `tlpo`
#'
#' Games are drawn and evaluated by the command `tlpo`, a Python program. It is looked for in
#' `options(tlpo.command = )`, then in the environment variable `TLPO_COMMAND`, then on the search
#' path.
#'
#' To install it: `pip install tlpo` with Python 3.11 or newer. If it is in a virtual environment,
#' say where: `options(tlpo.command = "/home/me/.venv/bin/tlpo")`, for example in `.Rprofile`.
#'
#' @return `tlpo_command()` returns the path of the command and stops if there is none.
#'   `has_tlpo()` returns whether there is one.
#' @examples
#' has_tlpo()
#' @export
tlpo_command <- function() {
  from_option <- getOption("tlpo.command", "")
  from_variable <- Sys.getenv("TLPO_COMMAND", "")
  named <- c(from_option, from_variable)
  named <- named[nzchar(named)]
  if (length(named) == 0L) {
    found <- unname(Sys.which("tlpo"))
    if (nzchar(found)) return(found)
    refuse(
      "The command tlpo, which draws and evaluates the games, was not found.",
      "Neither options(tlpo.command = ) nor TLPO_COMMAND is set, and it is not on the search path.",
      paste(
        "Install it with 'pip install tlpo' (Python 3.11 or newer). If it is installed, say where:",
        "options(tlpo.command = \"/path/to/tlpo\")."
      )
    )
  }
  found <- unname(Sys.which(named[[1L]]))
  if (nzchar(found)) return(found)
  place <- if (nzchar(from_option)) "options(tlpo.command = )" else "TLPO_COMMAND"
  refuse(
    "The command tlpo is not where it should be.",
    sprintf("%s is %s, which is no program.", place, in_quotes(named[[1L]])),
    "Correct it, or unset it to search the path."
  )
}

#' @rdname tlpo_command
#' @export
has_tlpo <- function() {
  tryCatch(nzchar(tlpo_command()), error = function(e) FALSE)
}

# Run the command and return what it printed; its error becomes an error of R.
call_command <- function(args) {
  command <- tlpo_command()
  restore <- set_environment(c(PYTHONUTF8 = "1", NO_COLOR = "1", COLUMNS = "1000"))
  on.exit(restore(), add = TRUE)
  output <- tempfile("tlpo-out-")
  errors <- tempfile("tlpo-err-")
  on.exit(unlink(c(output, errors)), add = TRUE)
  quoted <- shQuote(enc2native(args), type = if (is_windows()) "cmd" else "sh")
  # A status that is not 0 is an error below; R's own warning about it says nothing more.
  status <- suppressWarnings(system2(command, quoted, stdout = output, stderr = errors))
  if (status != 0L) {
    said <- sub("^tlpo: ", "", trimws(paste(read_text(errors), collapse = "\n")))
    if (!nzchar(said)) said <- sprintf("%s ended with status %d.", command, status)
    stop(said, call. = FALSE)
  }
  read_text(output)
}

set_environment <- function(values) {
  before <- Sys.getenv(names(values), unset = NA, names = TRUE)
  do.call(Sys.setenv, as.list(values))
  function() {
    unset <- is.na(before)
    Sys.unsetenv(names(before)[unset])
    if (any(!unset)) do.call(Sys.setenv, as.list(before[!unset]))
  }
}

is_windows <- function() .Platform$OS.type == "windows"

read_text <- function(path) {
  lines <- readLines(path, warn = FALSE, encoding = "UTF-8")
  Encoding(lines) <- "UTF-8"
  lines
}
