skip_without_tlpo()

test_that("a worse model than chance stays below one half", {
  d <- make_patients(24)
  t <- tlpo(outcome ~ x, d, fit = function(formula, data) NULL,
    predict = function(model, newdata) -newdata$x, positive = "yes")
  positive <- d$x[d$outcome == "yes"]
  negative <- d$x[d$outcome == "no"]
  expect_lt(t$auc, 0.5)
  expect_equal(t$auc, mean(outer(positive, negative, "<")), tolerance = 1e-12)
  skip_if_not_installed("pROC")
  expect_lt(as.numeric(pROC::auc(as.roc(t, quiet = TRUE))), 0.5)
})

test_that("groups leave the training set together, and the column is no predictor", {
  d <- make_patients(24)
  d$patient <- rep(paste("P", 1:12), each = 2)
  t <- suppressWarnings(tlpo(outcome ~ ., d[c("outcome", "x", "patient")], positive = "yes",
    group = "patient"))
  y <- d$outcome == "yes"
  expected <- loop(d, y, function(train, held) {
    predict(glm(y ~ x, binomial, transform(d, y = y)[train, ]), d[held, ])
  }, group = d$patient)
  expect_equal(t$scores, expected$wins)
  expect_equal(t$auc, expected$auc, tolerance = 1e-12)
})

test_that("rounds let every row play as many others", {
  d <- make_patients(30)
  t <- suppressWarnings(tlpo(outcome ~ x, d, positive = "yes", rounds = 12))
  expect_equal(as.integer(table(c(t$games$i, t$games$j))), rep(12L, 30))
  expect_lt(t$interval$low, t$auc)
  expect_gt(t$interval$high, t$auc)
})

test_that("numbers and grades give the concordance", {
  d <- make_patients(20)
  d$grade <- factor(cut(d$x + d$z, c(-Inf, 0, 1, Inf), c("low", "mid", "high")), ordered = TRUE)
  t <- tlpo(grade ~ x, d, fit = function(formula, data) NULL,
    predict = function(model, newdata) newdata$x)
  g <- as.integer(d$grade)
  pairs <- which(outer(g, g, ">"), arr.ind = TRUE)
  expect_equal(t$auc, mean(d$x[pairs[, 1L]] > d$x[pairs[, 2L]]), tolerance = 1e-12)
  expect_equal(rownames(confint(t)), "C")

  d$size <- d$x + rnorm(20)
  u <- tlpo(size ~ x, d)
  expect_equal(u$model, "lm_gaussian")
  expect_equal(as.data.frame(u)$outcome, d$size)
})

test_that("a few games that failed are left out and counted", {
  d <- make_patients(24)
  d$site <- rep(c("north", "south"), 12)
  d$site[[4L]] <- "east"
  t <- tlpo(outcome ~ x + site, d, positive = "yes", on_error = "skip")
  expect_equal(nrow(t$failures), 23L)
  expect_output(print(t), "23 games that failed were left out", fixed = TRUE)
  expect_output(print(summary(t)), "factor site has new levels east", fixed = TRUE)
})

test_that("names and labels that are not ASCII reach the command and come back", {
  skip_if_not(l10n_info()[["UTF-8"]], "UTF-8")
  d <- make_patients(24)[c("outcome", "x", "z")]
  d$outcome <- ifelse(d$outcome == "yes", "j\u00e4, \"so\"", "nein")
  names(d) <- c("Befund (\u00e4)", "Gr\u00f6\u00dfe", "if")
  t <- tlpo(stats::as.formula(bquote(.(as.name(names(d)[[1L]])) ~ .)), d,
    positive = "j\u00e4, \"so\"")
  u <- tlpo_run(d, names(d)[[1L]], model = "glm", positive = "j\u00e4, \"so\"")
  expect_equal(t$labels, c("nein", "j\u00e4, \"so\""))
  expect_equal(u$labels, t$labels)
  expect_equal(t$auc, u$auc, tolerance = 1e-12)
  expect_equal(as.data.frame(t)$outcome, d[[1L]])
})
