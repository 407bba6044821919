message_of <- function(expression) tryCatch({ expression; "" }, error = conditionMessage)

test_that("a fit that fails stops with the cause, and what was played is kept", {
  d <- make_patients(12)
  d$id <- 1:12
  fit <- function(formula, data) {
    if (all(c(5, 9) %in% setdiff(1:12, data$id))) stop("it is\n  singular")
    NULL
  }
  predict <- function(model, newdata) newdata$x
  file <- tempfile(fileext = ".csv")
  said <- message_of(play(outcome ~ x + id, d, fit, predict, file = file))
  expect_match(said, "1 game failed, the first without rows 5 and 9 (game 42).\nit is singular\n",
    fixed = TRUE)
  expect_match(said, "on_error = \"skip\" leaves such games out and counts them.", fixed = TRUE)
  expect_match(said, sprintf(
    "What was played so far (65 games) is kept: the same call with file = \"%s\" resumes.", file
  ), fixed = TRUE)

  p <- play(outcome ~ x + id, d, fit, predict, on_error = "skip")
  expect_equal(sum(is_played(p$games)), 65L)
  failures <- failures_of(p$games, p$frame)
  expect_equal(failures, data.frame(game = 42L, row_i = "5", row_j = "9", error = "it is singular"))
})

test_that("a level that only held-out rows have is named", {
  d <- make_patients(14)
  d$site <- rep(c("north", "south"), 7)
  d$site[[4L]] <- "east"
  for (make in list(as.character, factor)) {
    d$site <- make(d$site)
    said <- message_of(play(outcome ~ x + site, d))
    expect_match(said, paste(
      "Level 'east' of 'site' is only in row 4: a model fitted without has never seen it.",
      "Merge rare levels before, or leave these rows out;", sep = "\n"
    ), fixed = TRUE)
    p <- suppressWarnings(play(outcome ~ x + site, d, on_error = "skip"))
    lost <- failures_of(p$games, p$frame)
    expect_equal(nrow(lost), 13L)
    expect_true(all(lost$row_i == "4" | lost$row_j == "4"))
  }
})

test_that("missing predictors are named, or their rows left out", {
  d <- make_patients(14)
  d$x[[6L]] <- NA
  said <- message_of(play(outcome ~ x, d))
  expect_match(said, "Row 6 has no value of 'x'.\nmissing = \"drop\" leaves such rows out",
    fixed = TRUE)
  p <- suppressWarnings(play(outcome ~ x, d, missing = "drop"))
  expect_equal(p$frame$rows, setdiff(1:14, 6L))
})

test_that("predictions that are no two finite numbers are failures", {
  d <- make_patients(8)
  said <- function(value) {
    message_of(play(outcome ~ x, d, function(formula, data) NULL, function(model, newdata) value))
  }
  expect_match(said(factor(c("yes", "no"))), "predict returned labels", fixed = TRUE)
  expect_match(said(c("0.1", "0.2")), "predict returned labels", fixed = TRUE)
  expect_match(said(1), "predict returned 1 value instead of two numbers", fixed = TRUE)
  expect_match(said(NULL), "predict returned NULL instead of two numbers", fixed = TRUE)
  expect_match(said(diag(2)), "predict returned a matrix of 2 by 2", fixed = TRUE)
  expect_match(said(c(1, Inf)), "predict returned Inf", fixed = TRUE)
  expect_match(said(list(1, 2)), "an object of class 'list'", fixed = TRUE)
  probabilities <- matrix(c(0.1, 0.4, 0.9, 0.6), 2, dimnames = list(NULL, c("no", "yes")))
  p <- play(outcome ~ x, d, function(formula, data) NULL, function(model, newdata) probabilities)
  expect_equal(predictions(p$games)[1L, ], c(0.9, 0.6))
  tidy <- stats::setNames(as.data.frame(probabilities), c(".pred_no", ".pred_yes"))
  p <- play(outcome ~ x, d, function(formula, data) NULL, function(model, newdata) tidy)
  expect_equal(predictions(p$games)[1L, ], c(0.9, 0.6))
})

test_that("a fit that ends its process is found, and costs no other game", {
  skip_on_os("windows")
  d <- make_patients(10)
  d$id <- 1:10
  fit <- function(formula, data) {
    if (!any(c(2, 3) %in% data$id)) tools::pskill(Sys.getpid(), tools::SIGKILL)
    NULL
  }
  p <- play(outcome ~ x + id, d, fit, function(model, newdata) newdata$x, cores = 2L,
    on_error = "skip")
  lost <- failures_of(p$games, p$frame)
  expect_equal(lost[c("row_i", "row_j")], data.frame(row_i = "2", row_j = "3"))
  expect_equal(lost$error, "The R process that fitted the model died.")
})

test_that("warnings of fits are counted and said once", {
  d <- data.frame(y = rep(0:1, each = 6), x = c(1:6, 11:16))
  p <- expect_no_warning(play(y ~ x, d))
  counted <- warnings_of(p$games)
  expect_equal(counted$warning[[1L]], "glm.fit: fitted probabilities numerically 0 or 1 occurred")
  expect_equal(counted$fits[[1L]], 66L)
  expect_warning(
    warn_once(list(warnings = counted, games = p$games)),
    "numerically 0 or 1 occurred (in 66 of 66 fits)", fixed = TRUE
  )
})
