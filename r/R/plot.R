#' Plot the ROC curve
#'
#' Draws sensitivity against specificity, which runs from 1 to 0 as in pROC, with the pointwise
#' limits of the sensitivity. For times to an event it is the curve at a time; for numbers and
#' grades the scores are drawn against the outcome.
#'
#' @param x A result of [tlpo()] or [tlpo_run()].
#' @param band Whether to draw the limits.
#' @param add Whether to add the curve to a plot.
#' @param smooth For two classes, whether to draw a smooth curve too: the binormal one that
#'   `pROC::smooth()` draws through the points of this curve.
#' @param at For times to an event, which of the reported times; the first by default.
#' @param col,lwd Colour and width of the curve.
#' @param main The title.
#' @param ... Further arguments of [graphics::plot()], or of [graphics::lines()] if `add`.
#' @return The points that were drawn, invisibly.
#' @export
plot.tlpo <- function(x, band = TRUE, add = FALSE, smooth = FALSE, at = NULL, col = "#1f5a8a",
                      lwd = 2, main = answer_line(x, 3), ...) {
  require_kind(x, c("classes", "ordered", "survival"), "Plots")
  if (smooth) require_kind(x, "classes", "Smooth curves")
  if (x$kind == "ordered") return(plot_scores(x, col, main, ...))
  curve <- x$curve
  if (x$kind == "survival") {
    curve <- curve_at(x, at)
    band <- FALSE
  }
  specificity <- 1 - curve$fpr
  if (!add) {
    graphics::plot(
      NA, xlim = c(1, 0), ylim = c(0, 1), asp = 1, xlab = "Specificity", ylab = "Sensitivity",
      main = main, ...
    )
    graphics::abline(1, -1, col = "grey70")
  }
  if (band) {
    limits <- x$band
    graphics::polygon(
      1 - c(limits$fpr, rev(limits$fpr)), c(limits$low, rev(limits$high)),
      col = grDevices::adjustcolor(col, 0.15), border = NA
    )
  }
  if (add) {
    graphics::lines(specificity, curve$tpr, col = col, lwd = lwd, ...)
  } else {
    graphics::lines(specificity, curve$tpr, col = col, lwd = lwd)
  }
  if (smooth) {
    points <- smooth_points(curve)
    graphics::lines(points$specificity, points$sensitivity, col = col, lwd = lwd / 2)
  }
  invisible(data.frame(specificity = specificity, sensitivity = curve$tpr))
}

# A straight line through the points of a curve, where both axes are normal quantiles.
smooth_points <- function(curve, n = 512L) {
  inside <- curve$fpr > 0 & curve$fpr < 1 & curve$tpr > 0 & curve$tpr < 1
  se <- stats::qnorm(curve$tpr[inside])
  sp <- stats::qnorm(1 - curve$fpr[inside])
  if (length(unique(se)) < 2L || length(unique(sp)) < 2L) {
    refuse(
      "The ROC curve cannot be smoothed: it has too few points.",
      "A smooth curve needs two points with different sensitivities and specificities, all strictly between 0 and 1.",
      "Draw the curve as it is."
    )
  }
  line <- stats::coef(stats::lm(sp ~ se))
  sensitivity <- seq(0, 1, length.out = n)
  data.frame(
    specificity = stats::pnorm(line[[1L]] + line[[2L]] * stats::qnorm(sensitivity)),
    sensitivity = sensitivity
  )
}

curve_at <- function(x, at) {
  times <- vapply(x$at, function(one) one$time, numeric(1L))
  if (is.null(at)) at <- times[[1L]]
  which <- match(TRUE, abs(times - at) < 1e-9)
  if (is.na(which)) {
    refuse(
      "There is no curve at this time.",
      sprintf("You passed at = %s; there are %s.", shown(at), briefly(times, quote = FALSE)),
      sprintf("Call tlpo(..., at = %s).", shown(at))
    )
  }
  x$at[[which]]
}

plot_scores <- function(x, col, main, ...) {
  table <- as.data.frame(x)
  graphics::plot(
    table$outcome, table$score, xlab = x$outcome_name %||% "Outcome", ylab = "Wins", col = col,
    main = main, ...
  )
  invisible(table)
}
