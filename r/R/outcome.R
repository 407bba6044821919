# An outcome says who of two patients should be ranked higher: two classes, numbers or grades, or
# times to an event. `table` is all that the command gets to see, `flags` say what it means.

make_outcome <- function(values, positive, name) {
  if (inherits(values, "Surv")) return(times_outcome(values, positive))
  if (!is.null(dim(values)) || is.list(values)) {
    refuse(
      "The outcome must be one column.",
      sprintf("You passed %s, which is a %s.", name, class(values)[[1L]]),
      "Name a column of data on the left of the formula, or Surv(time, event)."
    )
  }
  if (inherits(values, "haven_labelled")) values <- as.vector(unclass(values))
  known <- !is.na(values)
  if (is.numeric(values) && any(is.infinite(values[known]))) {
    refuse("The outcome has infinite values.", sprintf("You passed %s.", name), "Correct them.")
  }
  labels <- labels_of(values)
  if (length(labels) < 2L) {
    refuse(
      "The outcome needs two values at least.",
      sprintf("%s is %s in every row.", name, if (length(labels)) labels else "missing"),
      "Check the column, and which rows you have kept."
    )
  }
  if (length(labels) == 2L) return(class_outcome(values, labels, positive, name))
  if (is.ordered(values) || (is.numeric(values) && is.null(positive))) {
    if (!is.null(positive)) refuse_classes(labels, name)
    return(number_outcome(values, name))
  }
  refuse_classes(labels, name)
}

refuse_classes <- function(labels, name) {
  refuse(
    sprintf("The outcome has %d values, and tlpo() tells two classes apart.", length(labels)),
    sprintf("%s is %s.", name, briefly(labels)),
    sprintf(
      paste0(
        "Choose one against the others, as in (%s == %s) ~ ., keep the rows of two, or use ",
        "tlpo_run(), which takes several classes."
      ),
      name, in_quotes(labels[[1L]])
    )
  )
}

# The labels in the order in which glm() takes them: the second is what it predicts.
labels_of <- function(values) {
  if (is.factor(values)) return(levels(droplevels(values)))
  as.character(sort(unique(values[!is.na(values)])))
}

class_outcome <- function(values, labels, positive, name) {
  guessed <- is.null(positive)
  if (guessed) positive <- labels[[2L]]
  positive <- as.character(positive)
  if (length(positive) != 1L || !positive %in% labels) {
    refuse(
      "There is no such label.",
      sprintf("You passed positive = %s, and %s is %s.", shown(positive), name, briefly(labels)),
      sprintf("For example, positive = %s.", in_quotes(labels[[2L]]))
    )
  }
  negative <- setdiff(labels, positive)
  is_positive <- as.character(values) == positive
  # What the fits are given: factors for labels; numbers and logicals stay what they are.
  target <- if (is.numeric(values)) {
    as.numeric(is_positive)
  } else if (is.logical(values)) {
    is_positive
  } else {
    factor(ifelse(is_positive, positive, negative), levels = c(negative, positive))
  }
  sent <- c(negative, positive)
  if (!all(is_plain(sent) | grepl("^-?[0-9]+$", sent))) sent <- c("negative", "positive")
  column <- if (is_plain(name)) name else "outcome"
  list(
    kind = "classes", known = !is.na(values), values = values, target = target,
    labels = c(negative, positive), positive = positive, guessed = guessed, name = name,
    table = stats::setNames(data.frame(sent[is_positive + 1L]), column),
    flags = c("--target", column, "--positive", sent[[2L]])
  )
}

number_outcome <- function(values, name) {
  column <- if (is_plain(name)) name else "outcome"
  numbers <- as.numeric(values)
  list(
    kind = "ordered", known = !is.na(values), values = values, target = values, name = name,
    table = stats::setNames(data.frame(numbers), column),
    flags = c("--target", column, "--ordered")
  )
}

times_outcome <- function(values, positive) {
  if (!identical(attr(values, "type"), "right")) {
    refuse(
      "Only right-censored times are supported.",
      sprintf("You passed Surv(...) of type '%s'.", attr(values, "type")),
      "Use Surv(time, event)."
    )
  }
  if (!is.null(positive)) {
    refuse(
      "Times to an event have no positive label.",
      sprintf("You passed positive = %s.", shown(positive)),
      "Say in Surv(time, event) who had the event, for example Surv(months, status == \"dead\")."
    )
  }
  time <- as.numeric(values[, "time"])
  event <- as.integer(values[, "status"])
  known <- !is.na(time) & !is.na(event)
  list(
    kind = "survival", known = known, values = values, target = NULL, name = "time",
    table = data.frame(time = time, event = event), flags = c("--time", "time", "--event", "event")
  )
}

# Names and labels that any table, command line and locale carry unchanged. Others are replaced on
# the way, and put back in what R shows.
MISSING_WORDS <- c("na", "n/a", "nan", "null", "none", "missing", "rest")

is_plain <- function(text) {
  grepl("^[A-Za-z][A-Za-z0-9_.]*$", text) & !tolower(text) %in% MISSING_WORDS
}
