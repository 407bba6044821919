# Errors say three things: the problem, what was passed, what to do.

explain <- function(problem, passed = NULL, remedy = NULL) {
  paste(c(problem, passed, remedy), collapse = "\n")
}

refuse <- function(...) stop(explain(...), call. = FALSE)

# A few values for a message: all of them, or the first and how many more there are.
briefly <- function(values, most = 5L, quote = TRUE) {
  values <- unique(values)
  shown <- utils::head(values, most)
  if (quote) shown <- paste0("'", shown, "'")
  text <- paste(shown, collapse = ", ")
  left <- length(values) - most
  if (left > 0L) text <- paste0(text, " and ", left, " more")
  text
}

# "1 row", "3 rows"
count <- function(n, one, many = paste0(one, "s")) {
  paste(format(n, big.mark = " ", trim = TRUE), if (n == 1) one else many)
}

# A name or file as it is written in a call.
in_quotes <- function(text) encodeString(text, quote = "\"")

require_choice <- function(value, choices, name) {
  if (is.character(value) && length(value) == 1L && value %in% choices) return(value)
  refuse(
    sprintf("There is no such %s.", name),
    sprintf("You passed %s = %s.", name, shown(value)),
    sprintf("Choose from %s.", paste(in_quotes(choices), collapse = ", "))
  )
}

require_count <- function(value, name, least = 1L) {
  is_count <- is.numeric(value) && length(value) == 1L && is.finite(value) &&
    value == round(value) && value >= least
  if (is_count) return(as.integer(value))
  refuse(
    sprintf("%s must be a whole number, at least %d.", name, least),
    sprintf("You passed %s = %s.", name, shown(value)),
    sprintf("For example, %s = %d.", name, least + 1L)
  )
}

# What was passed, on one line that is not too long.
shown <- function(value) {
  text <- paste(deparse(value, width.cutoff = 60L, nlines = 2L), collapse = " ")
  if (nchar(text) > 60L) paste0(substr(text, 1L, 57L), "...") else text
}
