"""Which record of one catalogue is the same error as which record of another."""

from pipeline.diff.pair.pair import pair
from pipeline.diff.pair.pairing import Pair, Pairing, Why

__all__ = ["Pair", "Pairing", "Why", "pair"]
