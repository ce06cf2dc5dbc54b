"""Trains the model that tells durable sentences from passing ones; needs a checkout and scikit-learn."""
