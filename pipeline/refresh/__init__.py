"""The unattended job: a new dataset when there is a new revision, published only when every gate is passed."""
