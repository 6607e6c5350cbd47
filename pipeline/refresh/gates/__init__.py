"""Gates: what must hold before a candidate is published. Each looks at values and gives a verdict with its figure."""
