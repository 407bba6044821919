test_that("a command that is not there is said, with how to get it", {
  old <- options(tlpo.command = NULL)
  path <- Sys.getenv("PATH")
  variable <- Sys.getenv("TLPO_COMMAND", NA)
  on.exit({
    options(old)
    Sys.setenv(PATH = path)
    if (!is.na(variable)) Sys.setenv(TLPO_COMMAND = variable)
  })
  Sys.unsetenv("TLPO_COMMAND")
  # which(1) itself must be found.
  Sys.setenv(PATH = dirname(Sys.which("which")))
  skip_if(nzchar(Sys.which("tlpo")), "tlpo is beside which")
  expect_false(has_tlpo())
  expect_error(
    tlpo(outcome ~ x, make_patients(10)),
    paste(
      "The command tlpo, which draws and evaluates the games, was not found.",
      "Neither options(tlpo.command = ) nor TLPO_COMMAND is set, and it is not on the search path.",
      "Install it with 'pip install tlpo' (Python 3.11 or newer)",
      sep = "\n"
    ), fixed = TRUE
  )
  options(tlpo.command = "/no/such/tlpo")
  expect_error(
    tlpo_run(make_patients(10), "outcome"),
    "options(tlpo.command = ) is \"/no/such/tlpo\", which is no program.", fixed = TRUE
  )
  options(tlpo.command = NULL)
  Sys.setenv(TLPO_COMMAND = "/nor/this")
  expect_error(tlpo_command(), "TLPO_COMMAND is \"/nor/this\", which is no program.", fixed = TRUE)
})

frame_of <- function(formula, data = make_patients(12), positive = NULL, group = NULL,
                     weights = NULL, missing = "keep") {
  make_frame(formula, data, positive, group, weights, missing)
}

test_that("what cannot be is refused with what to do", {
  d <- make_patients(12)
  expect_error(frame_of(~x), "The formula needs two sides.\nYou passed ~x.", fixed = TRUE)
  expect_error(frame_of("y ~ x"), "The formula needs two sides.", fixed = TRUE)
  expect_error(frame_of(outcome ~ x, as.matrix(d)), "data must be a data frame.", fixed = TRUE)
  expect_error(frame_of(outcome ~ bmi), "The formula names 'bmi', which is no column of data.",
    fixed = TRUE)
  elsewhere <- rnorm(12)
  expect_error(frame_of(outcome ~ elsewhere), "Put it into data: data$elsewhere <- elsewhere.",
    fixed = TRUE)
  degree <- 2
  expect_equal(frame_of(outcome ~ poly(x, degree))$predictors, "x")
  expect_error(frame_of(outcome ~ x, positive = "maybe"),
    "You passed positive = \"maybe\", and outcome is 'no', 'yes'.", fixed = TRUE)
  expect_error(frame_of(site ~ x),
    "site is 'north', 'south', 'west'.\nChoose one against the others, as in (site == \"north\") ~ .",
    fixed = TRUE)
  expect_error(frame_of(outcome ~ x, transform(d, outcome = "yes")),
    "The outcome needs two values at least.\noutcome is yes in every row.", fixed = TRUE)
  expect_error(frame_of(outcome ~ x, transform(d, outcome = NA)),
    "outcome is missing in every row.", fixed = TRUE)
  expect_error(frame_of(cbind(x, z) ~ site), "The outcome must be one column.", fixed = TRUE)
  expect_error(frame_of(x ~ z, transform(d, x = c(Inf, x[-1]))), "The outcome has infinite values.",
    fixed = TRUE)
  expect_error(frame_of(outcome ~ ., d["outcome"]), "There is nothing to predict from.",
    fixed = TRUE)
  twice <- d
  names(twice)[[3L]] <- "x"
  expect_error(frame_of(outcome ~ x, twice), "Two columns have the same name.\nYou passed 'x' twice.",
    fixed = TRUE)
  expect_error(frame_of(outcome ~ x, d[1:3, ]), "Too few rows are left|needs two values")
})

test_that("groups and weights are checked", {
  d <- make_patients(12)
  d$patient <- rep(1:6, 2)
  expect_error(frame_of(outcome ~ x, d, group = "person"),
    "There is no column for group.\nYou passed group = \"person\"", fixed = TRUE)
  expect_error(frame_of(outcome ~ x, d, group = 1:3), "You passed 3 values for 12 rows.",
    fixed = TRUE)
  d$patient[[2L]] <- NA
  expect_error(frame_of(outcome ~ x, d, group = ~patient),
    "group is missing in some rows.\nIt has no value in row 2.", fixed = TRUE)
  expect_equal(frame_of(outcome ~ x, d[-2, ], group = ~patient)$group, c(1, 3:6, 1:6))
  expect_error(frame_of(outcome ~ x, d, weights = -(1:12)), "Weights must be finite numbers",
    fixed = TRUE)
  frame <- frame_of(outcome ~ x, make_patients(12), weights = rep(2, 12))
  expect_error(make_model(function(formula, data) NULL, NULL, quote(f), frame, list()),
    "fit takes no weights.\nIts arguments are 'formula', 'data'.", fixed = TRUE)
})

test_that("options are checked before anything is drawn", {
  skip_without_tlpo()
  d <- make_patients(12)
  expect_error(tlpo(outcome ~ x, d, cores = 0), "You passed cores = 0.", fixed = TRUE)
  expect_error(tlpo(outcome ~ x, d, on_error = "tie"), "You passed on_error = \"tie\".\nChoose from \"stop\", \"skip\".",
    fixed = TRUE)
  expect_error(tlpo(outcome ~ x, d, level = 95), "You passed level = 95.", fixed = TRUE)
  expect_error(tlpo(outcome ~ x, d, fit = "glm"), "fit must be a function.\nYou passed fit = \"glm\".",
    fixed = TRUE)
  expect_error(tlpo(outcome ~ x, d, fit = function(f, d) NULL), "fit must take the training rows",
    fixed = TRUE)
  expect_error(tlpo_run(d, "outcome", c("glm", "ridge")), "tlpo_run() plays one model.", fixed = TRUE)
  expect_error(tlpo_run(d), "Say what is to be predicted.", fixed = TRUE)
  # What the command refuses comes in its own words.
  expect_error(tlpo_run(d, "outcome", "glmm"), "There is no such model.\nYou passed 'glmm'.",
    fixed = TRUE)
})

test_that("tables are written with every digit, in UTF-8, and quoted", {
  d <- data.frame(a = c(0.1 + 0.2, NA, 1e-300), b = c("x, \"y\"", "l\u00e4nge", NA), c = c(TRUE, NA, FALSE))
  names(d)[[2L]] <- "na\"me"
  path <- tempfile()
  write_table(d, path)
  lines <- read_text(path)
  expect_equal(lines[[1L]], "\"a\",\"na\"\"me\",\"c\"")
  expect_equal(lines[2:4], c(
    "0.30000000000000004,\"x, \"\"y\"\"\",TRUE", ",\"l\u00e4nge\",", "1e-300,,FALSE"
  ))
  numbers <- c(rnorm(200), 2^60, -1e-310, 123456789012345678)
  expect_identical(as.numeric(every_digit(numbers)), numbers)
})

test_that("times, processes and interruptions are spoken of", {
  expect_error(check_times(-1), "at must be positive times.\nYou passed at = -1.", fixed = TRUE)
  expect_error(check_times("12"), "You passed at = \"12\".", fixed = TRUE)
  expect_silent(check_times(c(12, 36)))
  expect_message(expect_equal(usable_cores(4L, forks = FALSE), 1L), "one after the other")
  expect_silent(expect_equal(usable_cores(1L, forks = FALSE), 1L))
  interrupt <- structure(list(), class = c("interrupt", "condition"))
  interrupted <- function() {
    # Whoever runs the tests must not take it for an interruption of theirs.
    tryCatch(say_if_interrupted(signalCondition(interrupt), "a.csv"), interrupt = identity)
  }
  expect_message(interrupted(), "Interrupted. The same call with file = \"a.csv\" resumes.", fixed = TRUE)
})

test_that("arguments of fits are not taken for abbreviations", {
  given <- match.call(tlpo, quote(tlpo(y ~ x, d, cv_glmnet, s = "lambda.min", n = 5)),
    expand.dots = FALSE)
  expect_equal(given$..., pairlist(s = "lambda.min", n = 5))
})

test_that("arguments become flags", {
  expect_equal(as_flags(list(rounds = 20, ordered = TRUE, quiet = FALSE, drop = c("a", "b"), at = NULL,
    confidence_level = 0.9, positive = TRUE)),
    c("--rounds=20", "--ordered", "--drop", "a", "b", "--confidence-level=0.9", "--positive=TRUE"))
})
