"""The project's own oracle: errors that an installed jax really raised, to hold the catalogue against."""
