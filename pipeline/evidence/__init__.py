"""Evidence: what the source says around an error, and which ways lead to it."""
