"""Two catalogues side by side: which record of one is which of the other, and what changed."""
