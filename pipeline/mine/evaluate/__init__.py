"""The evaluator: what every expression of the linked program can be, as far as its source says."""
