test_that("transformations and weights are learnt from the training rows", {
  d <- make_patients(14)
  d$w <- seq(1, 3, length.out = 14)
  y <- as.numeric(d$outcome == "yes")
  d$y <- y
  p <- play(y ~ log(z) + poly(x, 2), d, weights = "w", fit = lm)
  expected <- t(apply(utils::combn(14, 2), 2, function(held) {
    rest <- d[-held, ]
    predict(lm(y ~ log(z) + poly(x, 2), rest, weights = rest$w), d[held, ])
  }))
  expect_equal(predictions(p$games), unname(expected), tolerance = 1e-14)

  g <- play(y ~ x, d, weights = d$w, fit = glm, family = quasibinomial())
  expected <- t(apply(utils::combn(14, 2), 2, function(held) {
    rest <- d[-held, ]
    predict(glm(y ~ x, quasibinomial(), rest, weights = rest$w), d[held, ])
  }))
  expect_equal(predictions(g$games), unname(expected), tolerance = 1e-14)
})

test_that("a dot leaves out the columns of outcome, group and weights", {
  d <- make_patients(14)
  d$patient <- 1:14
  d$w <- 1
  columns <- function(formula, ...) {
    make_frame(formula, d, "yes", "patient", "w", "keep")$predictors
  }
  expect_equal(columns(outcome ~ .), c("x", "z", "site"))
  expect_equal(columns(outcome ~ . + patient), c("patient", "x", "z", "site"))
  expect_equal(make_frame((x > 0) ~ ., d, NULL, "patient", "w", "keep")$predictors,
    c("outcome", "z", "site"))
})

test_that("held-out rows come without their outcome, and what is learnt sees neither", {
  d <- make_patients(12)
  d$id <- 1:12
  fit <- function(formula, data) list(names = names(data), ids = data$id)
  predict <- function(model, newdata) {
    stopifnot(!"outcome" %in% names(newdata), !newdata$id %in% model$ids,
      length(model$ids) == 10L)
    newdata$x
  }
  expect_true(all(is_played(play(outcome ~ x + id, d, fit, predict)$games)))
})

test_that("random fits do not depend on the number of processes or on the session", {
  d <- make_patients(12)
  fit <- function(formula, data) rnorm(1)
  predict <- function(model, newdata) model + runif(2)
  set.seed(5)
  before <- .Random.seed
  one <- play(outcome ~ x, d, fit, predict)
  expect_identical(.Random.seed, before)
  set.seed(99)
  two <- play(outcome ~ x, d, fit, predict, cores = 2L)
  expect_identical(one$games, two$games)
  other <- play(outcome ~ x, d, fit, predict, seed = 2L)
  expect_false(any(other$games$prediction_i == one$games$prediction_i))
})

test_that("the ready models give what their functions give", {
  d <- make_patients(20)
  y <- factor(d$outcome)
  if (requireNamespace("randomForest", quietly = TRUE)) {
    p <- play(outcome ~ x + z, d, random_forest, ntree = 20)
    set.seed(game_seeds(1L, 190L)[[7L]])
    held <- utils::combn(20, 2)[, 7L]
    model <- randomForest::randomForest(y ~ x + z, transform(d, y = y)[-held, ], ntree = 20)
    expect_equal(predictions(p$games)[7L, ],
      unname(predict(model, d[held, ], type = "prob")[, "yes"]))
  }
  grades <- d
  grades$grade <- factor(cut(d$x, c(-Inf, -0.3, 0.6, Inf), 1:3), ordered = TRUE)
  held <- c(4, 9)
  expected <- predict(lm(as.integer(grade) ~ z + x, grades[-held, ]), grades[held, ])
  p <- play(grade ~ z + x, grades, lm_gaussian)
  k <- which(p$games$i == 4L & p$games$j == 9L)
  expect_equal(predictions(p$games)[k, ], unname(expected))
  if (requireNamespace("randomForest", quietly = TRUE)) {
    p <- play(grade ~ z + x, grades, random_forest, ntree = 10)
    expect_true(all(predictions(p$games) >= 1 & predictions(p$games) <= 3))
    expect_gt(length(unique(p$games$prediction_i)), 3L)
  }

  skip_if_not_installed("glmnet")
  set.seed(2)
  grades$time <- rexp(20) * exp(-grades$x)
  m <- cv_glmnet(z ~ x + site, grades, s = "lambda.min", nfolds = 5)
  expect_equal(m$model$glmnet.fit$call$family, "gaussian")
  m <- suppressWarnings(cv_glmnet(survival::Surv(time, rep(1, 20)) ~ x + z, grades,
    s = "lambda.min", nfolds = 5))
  risks <- tlpo_response(m, grades)
  expect_gt(cor(risks, grades$x), 0)
  d <- make_patients(24)
  y <- factor(d$outcome)
  held <- c(1, 2)
  set.seed(3)
  m <- suppressWarnings(cv_glmnet(outcome ~ x + z + site, transform(d, outcome = y)[-held, ],
    s = "lambda.min", nfolds = 5))
  set.seed(3)
  x <- model.matrix(~ x + z + site, d)[, -1]
  expected <- suppressWarnings(
    glmnet::cv.glmnet(x[-held, ], y[-held], family = "binomial", nfolds = 5)
  )
  expect_equal(tlpo_response(m, d[held, ]),
    as.numeric(predict(expected, x[held, ], s = "lambda.min")))
  # A level that only held-out rows have is a column of zeros in training.
  d$site <- factor(ifelse(seq_len(24) == 1L, "east", as.character(d$site)))
  m <- suppressWarnings(cv_glmnet(outcome ~ x + site, transform(d, outcome = y)[-1, ], nfolds = 5))
  expect_true(is.finite(tlpo_response(m, d[1, ])))
})

test_that("tibbles and row names make no difference", {
  d <- make_patients(14)
  plain <- play(outcome ~ x + z, d, positive = "yes")
  tibble_like <- structure(d, class = c("tbl_df", "tbl", "data.frame"))
  expect_identical(play(outcome ~ x + z, tibble_like, positive = "yes")$games, plain$games)
  if (requireNamespace("tibble", quietly = TRUE)) {
    expect_identical(play(outcome ~ x + z, tibble::as_tibble(d), positive = "yes")$games,
      plain$games)
  }
  named <- d
  row.names(named) <- rev(letters[1:14])
  expect_identical(play(outcome ~ x + z, named, positive = "yes")$games, plain$games)
})

test_that("strange names and labels are data", {
  # Elsewhere R has no such names itself.
  skip_if_not(l10n_info()[["UTF-8"]], "UTF-8")
  d <- make_patients(14)
  plain <- play(outcome ~ x + z, d, positive = "yes")
  odd <- d[c("outcome", "x", "z")]
  names(odd) <- c("Ergebnis \u00e4", "if", "function (x)")
  odd[[1L]] <- ifelse(d$outcome == "yes", "j\u00e4, \"krank\"", "NA")
  # Written so that it can be read in any locale.
  name <- as.name("Ergebnis \u00e4")
  f <- stats::as.formula(bquote(.(name) ~ `if` + `function (x)`))
  p <- play(f, odd, positive = "j\u00e4, \"krank\"")
  expect_identical(p$games, plain$games)
  expect_equal(names(p$frame$table), "outcome")
  expect_setequal(p$frame$table$outcome, c("negative", "positive"))
  expect_identical(play(stats::as.formula(bquote(.(name) ~ .)), odd, positive = "j\u00e4, \"krank\"")$games, plain$games)
})

test_that("two numbers reach the fit as 0 and 1, labels as a factor", {
  seen <- NULL
  fit <- function(formula, data) {
    seen <<- data[[1L]]
    stop("seen")
  }
  look <- function(outcome, positive = NULL) {
    d <- data.frame(outcome = outcome, x = 1:8)
    try(play(outcome ~ x, d[c("outcome", "x")], function(formula, data) {
      seen <<- data$outcome
      stop("seen")
    }, positive = positive), silent = TRUE)
    seen
  }
  expect_equal(sort(unique(look(rep(1:2, 4)))), c(0, 1))
  expect_equal(levels(look(rep(c("b", "a"), 4))), c("a", "b"))
  expect_equal(levels(look(rep(c("b", "a"), 4), "a")), c("b", "a"))
  expect_type(look(rep(c(TRUE, FALSE), 4)), "logical")
})
