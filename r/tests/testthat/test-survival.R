skip_without_tlpo()
skip_if_not_installed("survival")

make_times <- function(n, seed = 1, ties = FALSE) {
  set.seed(seed)
  x <- rnorm(n)
  z <- rnorm(n)
  time <- rexp(n) * exp(-x)
  if (ties) time <- ceiling(10 * time) / 10
  data.frame(time, died = rbinom(n, 1, 0.7), x, z)
}

test_that("the C of a fixed score is that of survival::concordance", {
  for (ties in c(FALSE, TRUE)) {
    d <- make_times(30, seed = 2, ties = ties)
    t <- tlpo(Surv(time, died) ~ x, d, fit = function(formula, data) NULL,
      predict = function(model, newdata) newdata$x)
    fixed <- survival::concordance(survival::Surv(time, died) ~ x, d, reverse = TRUE)
    expect_equal(t$auc, unname(fixed$concordance), tolerance = 1e-12)
  }
})

test_that("coxph gives what the command's Cox regression without a penalty gives", {
  d <- make_times(24)
  t <- tlpo(Surv(time, died) ~ ., d, at = 0.5)
  u <- tlpo_run(d, time = "time", event = "died", model = "cox:alpha=0", at = 0.5)
  expect_equal(t$scores, u$scores)
  expect_equal(t$auc, u$auc, tolerance = 1e-12)
  expect_equal(t$uno, u$uno, tolerance = 1e-12)
  expect_equal(t$at[[1L]]$auc, u$at[[1L]]$auc, tolerance = 1e-12)
  expect_equal(confint(t), confint(u), tolerance = 1e-4)
  expect_equal(as.data.frame(t)$event, d$died == 1)
  expect_equal(as.data.frame(u)$time, d$time)

  # What the command refuses after the games were played costs none of them.
  file <- tempfile(fileext = ".csv")
  expect_error(tlpo(Surv(time, died) ~ ., d, at = 1e6, file = file),
    "What was played so far (276 games) is kept", fixed = TRUE)
  expect_true(all(is_played(utils::read.csv(file, colClasses = "character"))))

  pdf(NULL)
  on.exit(dev.off())
  expect_equal(nrow(plot(t)), length(t$at[[1L]]$fpr))
  expect_error(plot(t, at = 7), "There is no curve at this time.", fixed = TRUE)
  expect_error(coords(t), "Coordinates need two classes.", fixed = TRUE)
})

test_that("rows without a time or an event are left out", {
  d <- make_times(24)
  d$time[[2L]] <- NA
  d$died[[5L]] <- NA
  frame <- make_frame(survival::Surv(time, died) ~ x, d, NULL, NULL, NULL, "keep")
  expect_equal(frame$rows, setdiff(1:24, c(2L, 5L)))
  expect_error(
    make_frame(Surv(time, time + 1, died) ~ x, make_times(24), NULL, NULL, NULL, "keep"),
    "Only right-censored times are supported.\nYou passed Surv(...) of type 'counting'.",
    fixed = TRUE
  )
})
