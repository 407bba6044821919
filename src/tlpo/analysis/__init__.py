"""From a sample and what was asked to numbers: models, measures, final model, validation."""
