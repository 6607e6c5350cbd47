"""The site: the catalogue as people and programs meet it."""
