test_that("the script of the documentation runs as it is written", {
  skip_without_tlpo()
  folder <- tempfile()
  dir.create(folder)
  set.seed(1)
  ill <- rep(c(TRUE, FALSE), 12)
  utils::write.csv(data.frame(
    outcome = ifelse(ill, "yes", "no"), age = round(rnorm(24, 60, 9)), crp = rexp(24) + ill,
    psa = exp(rnorm(24))
  ), file.path(folder, "patients.csv"), row.names = FALSE)
  back <- setwd(folder)
  on.exit(setwd(back))
  said <- capture.output(
    suppressWarnings(source(system.file("scripts", "clinician.R", package = "tlpo"),
      local = new.env(), echo = TRUE))
  )
  expect_match(said, "^AUC 0\\.\\d{3} \\(95% interval 0\\.\\d{3} to 0\\.\\d{3}\\)$", all = FALSE)
  expect_gt(file.size("roc.pdf"), 3000)
  expect_gt(file.size("report.html"), 10000)
})
