# Tables as CSV in UTF-8, whatever the locale, with every digit of a number: write.csv keeps 15.

write_table <- function(table, path) {
  columns <- lapply(table, as_cells)
  lines <- c(
    paste(quote_cells(enc2utf8(names(table))), collapse = ","),
    do.call(paste, c(unname(columns), sep = ","))
  )
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(lines, connection, useBytes = TRUE)
}

as_cells <- function(column) {
  missing <- is.na(column)
  cells <- if (inherits(column, "as_written")) {
    unclass(column)
  } else if (is.factor(column)) {
    quote_cells(as.character(column))
  } else if (is.integer(column)) {
    sprintf("%d", column)
  } else if (is.numeric(column) && !inherits(column, c("Date", "difftime", "POSIXct"))) {
    every_digit(unclass(column))
  } else if (is.logical(column)) {
    as.character(column)
  } else {
    quote_cells(as.character(column))
  }
  cells[missing] <- ""
  cells
}

every_digit <- function(x) {
  text <- sprintf("%.17g", x)
  short <- trimws(sprintf("%.15g", x))
  is_enough <- is.finite(x) & suppressWarnings(as.numeric(short)) == x
  text[is_enough] <- short[is_enough]
  text
}

quote_cells <- function(text) paste0("\"", gsub("\"", "\"\"", enc2utf8(text)), "\"")
