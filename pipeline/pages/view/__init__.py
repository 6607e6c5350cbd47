"""What a page of each kind holds: a view takes the site, the path and what is shown there, and gives the file."""
