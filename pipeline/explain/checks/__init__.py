"""Checks on an explanation: deterministic, each with a name, a verdict and its reason."""

from pipeline.explain.checks.finding import Finding, Verdict, to_checks
from pipeline.explain.checks.judge import Case, judge, judge_text

__all__ = ["Case", "Finding", "Verdict", "judge", "judge_text", "to_checks"]
