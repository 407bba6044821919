# ROC curves of two markers by pROC: Rscript proc.R input.json output.json
suppressMessages(library(pROC))

# Larger values speak for class 1, whatever the data say.
curve <- function(y, marker) roc(y, marker, levels = c(0, 1), direction = "<", quiet = TRUE)

best <- function(found, method) {
  at <- coords(found, "best", best.method = method, ret = c("threshold", "sensitivity", "specificity"))
  as.list(as.data.frame(at))
}

# NULL if pROC cannot smooth the curve.
smoothed <- function(found) {
  curve <- tryCatch(smooth(found, method = "binormal"), error = function(e) NULL)
  if (is.null(curve)) return(NULL)
  line <- unname(coef(curve$model))
  at <- seq(1, length(curve$sensitivities), by = 16)
  list(
    intercept = line[[1]], slope = line[[2]], auc = as.numeric(auc(curve)),
    sensitivities = curve$sensitivities[at], specificities = curve$specificities[at]
  )
}

refer <- function(case) {
  first <- curve(case$y, case$first)
  second <- curve(case$y, case$second)
  paired <- roc.test(first, second, method = "delong", paired = TRUE)
  n <- length(case$y)
  odd <- seq(1, n, by = 2)
  unpaired <- suppressWarnings(roc.test(
    curve(case$y[odd], case$first[odd]), curve(case$y[-odd], case$second[-odd]),
    method = "delong", paired = FALSE)
  )
  specific <- auc(first, partial.auc = c(1, 0.8))
  sensitive <- auc(first, partial.auc = c(1, 0.7), partial.auc.focus = "sensitivity")
  corrected <- suppressWarnings(auc(first, partial.auc = c(1, 0.8), partial.auc.correct = TRUE,
    allow.invalid.partial.auc.correct = TRUE))
  list(
    auc = as.numeric(auc(first)),
    variance = var(first, method = "delong"),
    interval = suppressWarnings(as.numeric(ci.auc(first, method = "delong")))[c(1, 3)],
    interval_80 = suppressWarnings(as.numeric(ci.auc(first, method = "delong", conf.level = 0.8)))[c(1, 3)],
    sensitivities = first$sensitivities, specificities = first$specificities,
    thresholds = first$thresholds[is.finite(first$thresholds)],
    partial_specificity = as.numeric(specific),
    partial_sensitivity = as.numeric(sensitive),
    partial_corrected = as.numeric(corrected),
    youden = best(first, "youden"),
    closest = best(first, "closest.topleft"),
    smooth = smoothed(first),
    smooth_second = smoothed(second),
    paired = list(statistic = unname(paired$statistic), p_value = paired$p.value,
      interval = as.numeric(paired$conf.int)),
    unpaired = list(statistic = unname(unpaired$statistic),
      degrees_of_freedom = unname(unpaired$parameter), p_value = unpaired$p.value)
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
cases <- jsonlite::fromJSON(arguments[1])
found <- list(
  made_with = list(R = as.character(getRversion()), pROC = as.character(packageVersion("pROC"))),
  cases = lapply(cases, refer)
)
jsonlite::write_json(found, arguments[2], digits = NA, auto_unbox = TRUE)
