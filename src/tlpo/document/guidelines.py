"""The items of TRIPOD+AI and STARD 2015.

They are those of Collins et al. (BMJ 2024;385:e078378) and Bossuyt et al. (BMJ 2015;351:h5527) in
short words; the guidelines themselves say what each of them asks for.
"""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """An item of a guideline, and what to fill in where a report says nothing about it."""

    number: str
    asks: str
    to_do: str


class Guideline(NamedTuple):
    """A guideline, or those of its items that concern a report; ``which`` says so."""

    name: str
    items: tuple[Item, ...]
    which: str = ""


TRIPOD_AI = Guideline(
    "TRIPOD+AI",
    (
        Item(
            "1",
            "Title: development or evaluation of a prediction model, population, outcome",
            "the title",
        ),
        Item("2", "Abstract", "the abstract (TRIPOD+AI for abstracts)"),
        Item("3a", "Health-care context and rationale", "why a model is needed"),
        Item(
            "3b", "Target population and intended use", "whom the model is for, and who will use it"
        ),
        Item("3c", "Known health inequalities", "differences between groups of people"),
        Item("4", "Objectives", "development, evaluation or both"),
        Item(
            "5a",
            "Sources of data",
            "cohort, trial, registry, and why they represent the population",
        ),
        Item("5b", "Dates of data", "start and end of inclusion, and of follow-up"),
        Item("6a", "Setting", "primary, secondary care; number and place of centres"),
        Item("6b", "Eligibility criteria", "who was eligible"),
        Item("6c", "Treatments received", "treatments, and how they were handled"),
        Item("7", "Data preparation and quality checks", "cleaning before this table was made"),
        Item("8a", "Outcome: definition and time horizon", "how and when it was assessed"),
        Item("8b", "Outcome assessors", "who assessed it, with what qualification"),
        Item("8c", "Blinding of the outcome assessment", "what assessors knew"),
        Item("9a", "Choice of predictors", "why these, and any selection before modelling"),
        Item("9b", "Definition of predictors", "how and when they were measured"),
        Item("9c", "Predictor assessors", "who measured them, if that takes judgement"),
        Item("10", "Sample size", "why so many"),
        Item("11", "Missing data", "how they were handled"),
        Item("12a", "Use of the data", "how data were divided"),
        Item("12b", "Handling of predictors", "transformations and scaling"),
        Item("12c", "Type of model, building steps, internal validation", "the model"),
        Item("12d", "Heterogeneity between clusters", "centres or other clusters"),
        Item("12e", "Measures of performance", "measures"),
        Item("12f", "Model updating", "recalibration after evaluation, if any"),
        Item("12g", "How predictions were made for evaluation", "formula or software"),
        Item("13", "Class imbalance", "methods against it"),
        Item("14", "Fairness", "approaches and their rationale"),
        Item("15", "Model output", "probability or class, and thresholds"),
        Item("16", "Differences between training and evaluation", "setting, outcome, predictors"),
        Item("17", "Ethical approval", "committee, consent"),
        Item("18a", "Funding", "sources and role of funders"),
        Item("18b", "Conflicts of interest", "declarations of all authors"),
        Item("18c", "Protocol", "where it can be read"),
        Item("18d", "Registration", "register and number"),
        Item("18e", "Data sharing", "whether and how data are available"),
        Item("18f", "Code sharing", "whether and how code is available"),
        Item(
            "19", "Patient and public involvement", "how they were involved, or that they were not"
        ),
        Item("20a", "Flow of participants", "the flow"),
        Item("20b", "Characteristics of participants", "the table"),
        Item(
            "20c",
            "Comparison of development and evaluation data",
            "important predictors and the outcome in both",
        ),
        Item("21", "Participants and events in each analysis", "numbers"),
        Item("22", "The full model", "formula, code or file for new predictions"),
        Item("23a", "Performance with intervals, also in key subgroups", "performance"),
        Item("23b", "Heterogeneity of performance between clusters", "results by cluster"),
        Item("24", "Results of model updating", "the updated model, if any"),
        Item("25", "Interpretation, with objectives and earlier studies", "the interpretation"),
        Item("26", "Limitations", "sample, missing data, generalisability"),
        Item("27a", "Poor quality or missing input when the model is used", "what then to do"),
        Item("27b", "Interaction with users and their expertise", "what users must do and know"),
        Item("27c", "Next steps", "external validation, studies of impact"),
    ),
)
STARD = Guideline(
    "STARD 2015",
    (
        Item("1", "Title or abstract: a study of diagnostic accuracy", "the title"),
        Item("2", "Structured abstract", "the abstract"),
        Item("3", "Scientific and clinical background", "use and role of the index test"),
        Item("4", "Objectives and hypotheses", "objectives"),
        Item("5", "Whether data were collected before or after planning", "prospective or not"),
        Item("6", "Eligibility criteria", "who was eligible"),
        Item("7", "How participants were identified", "symptoms, earlier tests, a registry"),
        Item("8", "Where and when participants were identified", "setting, place, dates"),
        Item("9", "Consecutive, random or convenience series", "which of these"),
        Item("10a", "Index test, in detail", "how it is done"),
        Item("10b", "Reference standard, in detail", "how it is done"),
        Item("11", "Why this reference standard", "the reason, if there are others"),
        Item("12a", "Cut-offs of the index test, prespecified or not", "cut-offs"),
        Item("12b", "Cut-offs of the reference standard", "definition of its categories"),
        Item("13a", "Whether readers of the index test knew the rest", "what they knew"),
        Item(
            "13b",
            "Whether assessors of the reference standard knew the index test",
            "what they knew",
        ),
        Item("14", "Methods for accuracy and comparisons", "methods"),
        Item("15", "Indeterminate results", "how they were handled"),
        Item("16", "Missing data", "how they were handled"),
        Item("17", "Analyses of variability", "which were planned"),
        Item("18", "Sample size", "how it was determined"),
        Item("19", "Flow of participants", "the flow"),
        Item("20", "Baseline characteristics", "the table"),
        Item("21a", "Severity in those with the condition", "distribution of severity"),
        Item("21b", "Alternative diagnoses in those without it", "their distribution"),
        Item("22", "Time and interventions between both tests", "the interval"),
        Item("23", "Cross tabulation", "the table"),
        Item("24", "Accuracy with intervals", "estimates"),
        Item("25", "Adverse events", "of either test"),
        Item("26", "Limitations", "bias, uncertainty, generalisability"),
        Item("27", "Implications for practice", "intended use and role"),
        Item("28", "Registration", "number and register"),
        Item("29", "Protocol", "where it can be read"),
        Item("30", "Funding", "sources and role of funders"),
    ),
)

# What TRIPOD+AI asks only of those who develop a model.
_OF_DEVELOPMENT = frozenset({"9a", "12a", "12b", "12c", "15", "22", "27a", "27b"})
EVALUATION = Guideline(
    TRIPOD_AI.name,
    tuple(item for item in TRIPOD_AI.items if item.number not in _OF_DEVELOPMENT),
    " that concerns the evaluation of a model",
)
