# Paths and choices of penalties by glmnet: Rscript glmnet.R input.json output.json
suppressMessages(library(glmnet))

# Follow the path to its end, however well the model fits.
glmnet.control(fdev = 0, devmax = 1)
THRESHOLD <- 1e-20

# Mean deviance and its standard error over folds, of probabilities as they are: cv.glmnet counts
# those beyond 0.00001 and 0.99999 as these.
deviance_of <- function(z, y, fold) {
  loss <- 2 * (log1p(exp(-abs(z))) + ifelse((z > 0) == (y == 1), 0, abs(z)))
  sizes <- c(table(fold))
  each <- rowsum(loss, fold) / sizes
  share <- sizes / length(y)
  mean <- colSums(each * share)
  list(mean = mean, error = sqrt(colSums(sweep(each, 2, mean)^2 * share) / (nrow(each) - 1)))
}

refer <- function(case) {
  X <- case$X
  penalties <- case$penalties
  settings <- list(
    x = X, y = case$y, family = "binomial", alpha = case$l1_ratio, lambda = penalties,
    thresh = THRESHOLD, maxit = 1e9
  )
  path <- do.call(glmnet, settings)
  chosen <- do.call(cv.glmnet, c(settings, list(foldid = case$fold + 1, keep = TRUE)))
  exact <- deviance_of(chosen$fit.preval[, seq_along(penalties)], case$y, case$fold)
  at <- case$at + 1
  list(
    intercept = path$a0[at],
    coefficients = unname(t(as.matrix(path$beta[, at]))),
    cvm = chosen$cvm,
    cvsd = chosen$cvsd,
    deviance = unname(exact$mean),
    standard_error = unname(exact$error),
    # Where R itself would begin.
    largest = max(glmnet(X, case$y, family = "binomial", alpha = case$l1_ratio)$lambda),
    lambda_min = chosen$lambda.min,
    lambda_1se = chosen$lambda.1se
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
cases <- jsonlite::fromJSON(arguments[1])
found <- list(
  made_with = list(R = as.character(getRversion()), glmnet = as.character(packageVersion("glmnet"))),
  cases = lapply(cases, refer)
)
jsonlite::write_json(found, arguments[2], digits = NA, auto_unbox = TRUE)
