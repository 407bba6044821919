# From a formula and data to what a game needs: the rows and columns that fits are given, the
# outcome, and who must leave the training set together.

make_frame <- function(formula, data, positive, group, weights, missing) {
  if (!inherits(formula, "formula") || length(formula) != 3L) {
    refuse(
      "The formula needs two sides.",
      sprintf("You passed %s.", shown(formula)),
      "For example, outcome ~ . or Surv(time, event) ~ age + stage."
    )
  }
  data <- plain_data(data)
  n_read <- nrow(data)
  names_of_rows <- row.names(data)
  row.names(data) <- NULL
  group <- column_or_values(group, data, "group")
  weights <- column_or_values(weights, data, "weights")
  check_weights(weights$values)
  require_variables(formula, data)

  outcome <- make_outcome(evaluate_response(formula, data), positive, response_name(formula))
  columns <- predictor_columns(formula, data, c(group$column, weights$column))
  kept <- outcome$known
  if (missing == "drop") kept <- kept & stats::complete.cases(data[columns])
  # A patient without weight, or who belongs nowhere, cannot be judged rightly.
  check_known(group$values, kept, "group")
  check_known(weights$values, kept, "weights")

  with_target <- set_target(formula, data, outcome, columns)
  rows <- which(kept)
  if (length(rows) < 4L) {
    refuse(
      "Too few rows are left.",
      sprintf("%s of %d can be used.", count(length(rows), "row"), n_read),
      "Check the outcome, and what is missing."
    )
  }
  table <- outcome$table[rows, , drop = FALSE]
  row.names(table) <- NULL
  groups <- if (!is.null(group$values)) as.integer(factor(as.character(group$values[rows])))
  if (!is.null(groups)) table[[free_name("group", table)]] <- paste0("g", groups)
  list(
    formula = with_target$formula,
    data = `row.names<-`(with_target$data[rows, , drop = FALSE], NULL),
    predictors = columns, outcome = outcome, table = table, group = groups,
    group_flags = if (!is.null(groups)) c("--group", utils::tail(names(table), 1L)),
    weights = weights$values[rows], rows = rows, names = names_of_rows[rows], n_read = n_read,
    without_outcome = sum(!outcome$known), incomplete = sum(outcome$known & !kept)
  )
}

# A bare data frame: tibbles and data tables index rows and columns in their own ways.
plain_data <- function(data) {
  if (!is.data.frame(data)) {
    refuse(
      "data must be a data frame.",
      sprintf("You passed an object of class '%s'.", class(data)[[1L]]),
      "Use as.data.frame(data)."
    )
  }
  twice <- unique(names(data)[duplicated(names(data))])
  if (length(twice)) {
    refuse(
      "Two columns have the same name.",
      sprintf("You passed %s twice.", briefly(twice)),
      "Rename them: names(data) <- make.unique(names(data))."
    )
  }
  class(data) <- "data.frame"
  attr(data, "groups") <- NULL
  data
}

# The name of a column, ~column, or one value per row.
column_or_values <- function(given, data, what) {
  if (is.null(given)) return(list(column = NULL, values = NULL))
  if (inherits(given, "formula")) given <- all.vars(given)
  if (is.character(given) && length(given) == 1L) {
    if (!given %in% names(data)) {
      refuse(
        sprintf("There is no column for %s.", what),
        sprintf("You passed %s = %s; the columns are %s.", what, in_quotes(given),
          briefly(names(data))),
        "Name a column of data, or pass one value per row."
      )
    }
    return(list(column = given, values = data[[given]]))
  }
  if (length(given) != nrow(data)) {
    refuse(
      sprintf("%s must have one value per row.", what),
      sprintf("You passed %s for %s.", count(length(given), "value"), count(nrow(data), "row")),
      "Name a column of data, or pass as many values as there are rows."
    )
  }
  list(column = NULL, values = given)
}

check_weights <- function(weights) {
  if (is.null(weights)) return()
  known <- weights[!is.na(weights)]
  if (is.numeric(known) && all(is.finite(known) & known >= 0)) return()
  refuse(
    "Weights must be finite numbers, not negative.",
    sprintf("You passed %s.", briefly(utils::head(known[!(is.numeric(known) & known >= 0)], 3L))),
    "Correct them, or leave out weights."
  )
}

check_known <- function(values, kept, what) {
  absent <- which(is.na(values) & kept)
  if (is.null(values) || length(absent) == 0L) return()
  refuse(
    sprintf("%s is missing in some rows.", what),
    sprintf("It has no value in row %s.", briefly(absent, quote = FALSE)),
    "Fill it in, or leave these rows out."
  )
}

# Every variable must be a column: vectors from elsewhere would not be cut to the training set.
require_variables <- function(formula, data) {
  names <- setdiff(all.vars(formula), c(".", names(data)))
  for (name in names) {
    found <- get0(name, environment(formula), ifnotfound = NULL)
    if (!is.null(found) && length(found) == 1L) next
    refuse(
      sprintf("The formula names '%s', which is no column of data.", name),
      sprintf("The columns are %s.", briefly(names(data))),
      if (is.null(found)) {
        "Correct the name."
      } else {
        sprintf("Put it into data: data$%s <- %s.", name, name)
      }
    )
  }
}

is_surv <- function(expression) {
  is.call(expression) && deparse(expression[[1L]])[[1L]] %in% c("Surv", "survival::Surv")
}

response_name <- function(formula) {
  if (is.name(formula[[2L]])) return(as.character(formula[[2L]]))
  paste(deparse(formula[[2L]]), collapse = " ")
}

evaluate_response <- function(formula, data) {
  eval(formula[[2L]], data, environment(with_surv(formula)))
}

# `Surv` is found whether or not the package survival is attached.
with_surv <- function(formula) {
  if (!is_surv(formula[[2L]])) return(formula)
  if (!requireNamespace("survival", quietly = TRUE)) {
    refuse(
      "Times to an event need the package survival.",
      "It is not installed.",
      "install.packages(\"survival\")"
    )
  }
  scope <- new.env(parent = environment(formula))
  scope$Surv <- survival::Surv
  environment(formula) <- scope
  formula
}

uses_dot <- function(formula) "." %in% all.vars(formula[[3L]])

# The columns that the right side names. A dot stands for all but the outcome's, the group's and
# the weights', unless these are named as well.
predictor_columns <- function(formula, data, aside) {
  named <- setdiff(all.vars(formula[[3L]]), ".")
  columns <- intersect(named, names(data))
  if (uses_dot(formula)) {
    others <- setdiff(names(data), c(all.vars(formula[[2L]]), aside))
    columns <- union(columns, others)
  }
  if (length(columns) == 0L && uses_dot(formula)) {
    refuse(
      "There is nothing to predict from.",
      sprintf("The columns are %s.", briefly(names(data))),
      "Add columns to data."
    )
  }
  columns
}

# The outcome as fits are given it, in the column that the formula names. A response that is
# computed, such as (stage > 2), gets a column of its own.
set_target <- function(formula, data, outcome, columns) {
  formula <- with_surv(formula)
  if (outcome$kind == "survival") {
    sources <- intersect(all.vars(formula[[2L]]), names(data))
    return(list(formula = formula, data = data[union(sources, columns)], response = sources))
  }
  kept <- data[columns]
  if (is.name(formula[[2L]])) {
    name <- as.character(formula[[2L]])
  } else {
    name <- free_name("outcome", data)
    formula[[2L]] <- as.name(name)
  }
  kept[[name]] <- outcome$target
  list(formula = formula, data = kept)
}

free_name <- function(name, taken) utils::tail(make.unique(c(names(taken), name)), 1L)
