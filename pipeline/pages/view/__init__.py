"""Views: what a page of each kind holds. A view takes the site, the path and what is shown there, and gives the file."""
