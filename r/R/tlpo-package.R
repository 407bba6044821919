#' Honest ROC analysis for small samples
#'
#' With 20 to a few hundred patients, the usual cross-validation reports the wrong AUC: it pools
#' the predictions of different models into one ranking. Tournament leave-pair-out compares two
#' patients only by one model that was fitted without both of them. The share of comparisons that
#' the positive patient wins is an almost unbiased AUC, and ranking the patients by their wins
#' gives the whole ROC curve.
#'
#' * [tlpo()] plays the games with any model that R can fit.
#' * [tlpo_run()] hands the table to the engines of the command `tlpo`, which play many models
#'   without refitting them.
#'
#' Both need the command `tlpo`: see [tlpo_command()].
#'
#' @references Montoya Perez I, Airola A, Boström PJ, Jambor I, Pahikkala T (2018). Tournament
#'   leave-pair-out cross-validation for receiver operating characteristic analysis.
#'   *Statistical Methods in Medical Research*. \doi{10.1177/0962280218795190}.
#' @name tlpo-package
#' @aliases tlpo-package
#' @docType package
#' @keywords package
NULL
