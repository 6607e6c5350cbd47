"""Explanations: reviewed by people, written by a model, or derived from the source, each checked and kept."""
