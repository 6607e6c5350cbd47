"""The catalogue over HTTP: the pages of the site, the records, and matching, from a dataset that may be replaced."""
