skip_without_tlpo()

test_that("logistic regression gives what a loop over pairs and the command's own model give", {
  d <- make_patients(24)
  t <- suppressWarnings(tlpo(outcome ~ x + z, d, positive = "yes"))
  y <- d$outcome == "yes"
  expected <- loop(d, y, function(train, held) {
    model <- glm(y ~ x + z, binomial, transform(d, y = y)[train, ])
    predict(model, d[held, ])
  })
  expect_equal(t$scores, expected$wins)
  expect_equal(t$auc, expected$auc, tolerance = 1e-12)

  u <- tlpo_run(d[c("outcome", "x", "z")], "outcome", model = "glm", positive = "yes")
  expect_equal(t$scores, u$scores)
  expect_equal(t$auc, u$auc, tolerance = 1e-12)
  expect_equal(confint(t), confint(u), tolerance = 1e-4)
  expect_equal(t$curve, u$curve)
  # The log-odds of both give the same calibration.
  brier <- function(x) x$analysis$models$probabilities$brier$estimate
  expect_equal(brier(t), brier(u), tolerance = 1e-5)
})

test_that("confint, coords, as.data.frame, as.roc and plot agree with the analysis", {
  d <- make_patients(24)
  row.names(d) <- paste0("P", 1:24)
  expect_message(t <- tlpo(outcome ~ x, d), "'yes' counts as positive", fixed = TRUE)

  expect_equal(dimnames(confint(t)), list("AUC", c("2.5 %", "97.5 %")))
  expect_equal(as.numeric(confint(t)), c(t$interval$low, t$interval$high))
  narrow <- confint(t, level = 0.5)
  expect_gt(narrow[[1L]], confint(t)[[1L]])
  expect_lt(narrow[[2L]], confint(t)[[2L]])
  expect_equal(colnames(narrow), c("25 %", "75 %"))

  s <- t$sensitivity
  expect_equal(coords(t, s$specificity)$sensitivity, s$sensitivity)
  expect_equal(coords(t, "all"), curve_points(t))
  expect_equal(coords(t, specificity = c(0.5, 0.9)), coords(t, c(0.5, 0.9)))
  expect_equal(coords(t, sensitivity = 0.9), coords(t, 0.9, input = "sensitivity"))
  expect_error(
    coords(t, 0.9, specificity = 0.8), "You also passed specificity = 0.8.", fixed = TRUE
  )
  expect_error(coords(t, best.method = "youden"), "best.method = \"youden\"", fixed = TRUE)
  best <- coords(t, "best", ret = c("sensitivity", "specificity"))
  expect_equal(sum(best), max(t$curve$tpr + 1 - t$curve$fpr))
  # More wins than the threshold, counted.
  for (w in c(-1, 0, 11, 11.5, 30)) {
    at <- coords(t, w, input = "threshold")
    expect_equal(at$sensitivity, mean(t$scores[d$outcome == "yes"] > w))
    expect_equal(at$specificity, mean(t$scores[d$outcome == "no"] <= w))
  }

  frame <- as.data.frame(t)
  expect_equal(frame$name, row.names(d))
  expect_equal(frame$outcome, d$outcome)
  expect_equal(frame$score, t$scores)

  pdf(NULL)
  on.exit(dev.off())
  drawn <- plot(t)
  expect_equal(drawn$specificity, 1 - t$curve$fpr)
  expect_equal(par("usr")[[1L]] > par("usr")[[2L]], TRUE)

  expect_silent(plot(t, smooth = TRUE))
  flat <- list(fpr = c(0, 0, 1), tpr = c(0, 1, 1))
  expect_error(smooth_points(flat), "it has too few points", fixed = TRUE)

  skip_if_not_installed("pROC")
  expect_message(roc <- as.roc(t), "ci.auc() of this curve would be wrong", fixed = TRUE)
  expect_equal(as.numeric(pROC::auc(roc)), t$tlpo_auc, tolerance = 1e-12)
  expect_equal(roc$direction, "<")
  smooth <- pROC::smooth(roc)
  expect_equal(rev(smooth_points(t$curve)$specificity), smooth$specificities[2:513])
  expect_equal(pROC::coords(t, 0.9), coords(t, 0.9))
  # Ours passes on what is pROC's.
  expect_equal(coords(roc, 0.9, input = "specificity"),
    pROC::coords(roc, 0.9, input = "specificity"))
})

test_that("an object prints its answer, and a report is written", {
  d <- make_patients(24)
  d$outcome[[3L]] <- NA
  expect_message(
    t <- tlpo(outcome ~ x, d, positive = "yes"), "1 row without an outcome left out.", fixed = TRUE
  )
  expect_equal(t$rows, setdiff(1:24, 3L))
  expect_output(print(t), sprintf("AUC %.3f (95%% interval %.3f to %.3f)", t$auc, t$interval$low,
    t$interval$high), fixed = TRUE)
  expect_output(print(t), "23 rows: ", fixed = TRUE)
  expect_output(print(summary(t)), "Sensitivity at specificity 0.9", fixed = TRUE)
  page <- tempfile(fileext = ".html")
  tlpo_report(t, page)
  expect_match(paste(readLines(page, warn = FALSE), collapse = "\n"), "ROC")
  expect_error(tlpo_report(t, "report.txt"), "There is no such ending.", fixed = TRUE)
})

test_that("models are compared on the same rows, as the command compares its own", {
  d <- make_patients(24)
  a <- tlpo(outcome ~ x + z, d, positive = "yes")
  b <- tlpo(outcome ~ z, d, positive = "yes")
  compared <- tlpo_compare(both = a, b)
  row <- compared$differences
  expect_equal(c(row$first, row$second), c("both", "glm_binomial"))
  expect_equal(row$difference, a$auc - b$auc, tolerance = 1e-12)
  expect_lt(row$low, row$difference)
  expect_gt(row$high, row$difference)
  expect_output(print(compared), "both - glm_binomial: ", fixed = TRUE)
  expect_output(print(compared), sprintf("If you report only %s: ", compared$best$winner),
    fixed = TRUE)
  expect_error(tlpo_compare(a), "takes two or more results of tlpo().", fixed = TRUE)
  other <- b
  other$played$frame$rows <- rev(other$played$frame$rows)
  expect_error(tlpo_compare(a, other), "The models were not played on the same rows.", fixed = TRUE)
})
