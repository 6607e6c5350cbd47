"""The errors of many revisions in one go: a chain of revisions, mined side by side and followed id by id."""
