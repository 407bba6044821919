fit_counting <- function(log) {
  force(log)
  function(formula, data) {
    cat("fit\n", file = log, append = TRUE)
    glm(formula, binomial, data)
  }
}

test_that("a file that was begun is continued, digit by digit", {
  d <- make_patients(12)
  log <- tempfile()
  file <- tempfile(fileext = ".csv")
  whole <- suppressWarnings(play(outcome ~ x, d, fit_counting(log), file = file))
  expect_length(readLines(log), 66L)
  kept <- readLines(file)

  # Twenty games are taken out again.
  games <- whole$games
  games[31:50, c("prediction_i", "prediction_j", "warning")] <- ""
  save_games(games, file)
  unlink(log)
  again <- suppressWarnings(play(outcome ~ x, d, fit_counting(log), file = file))
  expect_length(readLines(log), 20L)
  expect_identical(readLines(file), kept)
  expect_identical(again$games, whole$games)
})

test_that("files of another run, and files of something else, are refused and kept", {
  d <- make_patients(12)
  file <- tempfile(fileext = ".csv")
  drawn <- all_games(12)
  open_games(file, drawn, "one")
  before <- readLines(file)
  expect_error(open_games(file, drawn, "two"), "The file belongs to another run.", fixed = TRUE)
  expect_error(open_games(file, all_games(13), "one"), "The file belongs to another run.",
    fixed = TRUE)
  expect_identical(readLines(file), before)
  for (text in list("name,age\nAda,36", character(), "\"")) {
    writeLines(text, file)
    expect_error(open_games(file, drawn, "one"), "The file holds no games of tlpo().", fixed = TRUE)
    expect_identical(readLines(file), as.character(unlist(strsplit(paste(text), "\n"))))
  }
  expect_error(open_games(file.path(tempdir(), "no", "x.csv"), drawn, "one"),
    "The folder of the file does not exist.", fixed = TRUE)
})

test_that("everything that decides a prediction is in the fingerprint", {
  d <- make_patients(8)
  f <- function(formula, data) glm(formula, binomial, data)
  g <- function(formula, data) glm(formula, binomial(), data)
  expect_identical(fingerprint(as.list(d), source_of(f)), fingerprint(as.list(d[1:8, ]), source_of(f)))
  expect_false(fingerprint(source_of(f)) == fingerprint(source_of(g)))
  e <- d
  e$x[[3L]] <- e$x[[3L]] + 1e-9
  expect_false(fingerprint(d) == fingerprint(e))
})

test_that("a run that was killed is resumed, with the same answer", {
  skip_without_tlpo()
  skip_on_os("windows")
  folder <- tempfile()
  dir.create(folder)
  script <- file.path(folder, "run.R")
  file <- file.path(folder, "games.csv")
  saveRDS(make_patients(16), file.path(folder, "data.rds"))
  writeLines(c(
    sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
    "library(tlpo)",
    sprintf("setwd(%s)", deparse(folder)),
    "writeLines(as.character(Sys.getpid()), 'pid')",
    "slowly <- function(formula, data) { Sys.sleep(as.numeric(Sys.getenv('PAUSE'))); glm(formula, binomial, data) }",
    "d <- readRDS('data.rds')",
    "t <- suppressWarnings(tlpo(outcome ~ x, d, slowly, positive = 'yes', cores = 1, file = Sys.getenv('GAMES')))",
    "saveRDS(t, Sys.getenv('RESULT'))"
  ), script)
  run <- function(pause, games, result, wait) {
    variables <- c(PAUSE = pause, GAMES = games, RESULT = result)
    do.call(Sys.setenv, as.list(variables))
    on.exit(Sys.unsetenv(names(variables)))
    system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), wait = wait,
      stdout = FALSE, stderr = FALSE)
  }
  count_played <- function() {
    if (!file.exists(file)) return(0L)
    sum(is_played(utils::read.csv(file, colClasses = "character")))
  }
  run("0.1", file, "killed.rds", wait = FALSE)
  for (k in 1:600) {
    if (count_played() >= 5L) break
    Sys.sleep(0.1)
  }
  tools::pskill(as.integer(readLines(file.path(folder, "pid"))), tools::SIGKILL)
  Sys.sleep(0.2)
  played <- count_played()
  expect_gte(played, 5L)
  expect_lt(played, 120L)
  expect_false(file.exists(file.path(folder, "killed.rds")))
  before <- utils::read.csv(file, colClasses = "character")

  expect_equal(run("0", file, "resumed.rds", wait = TRUE), 0L)
  expect_equal(run("0", file.path(folder, "other.csv"), "whole.rds", wait = TRUE), 0L)
  resumed <- readRDS(file.path(folder, "resumed.rds"))
  whole <- readRDS(file.path(folder, "whole.rds"))
  expect_identical(resumed$games, whole$games)
  expect_identical(resumed$scores, whole$scores)
  expect_identical(confint(resumed), confint(whole))
  after <- utils::read.csv(file, colClasses = "character")
  expect_identical(after[is_played(before), ], before[is_played(before), ])
})
