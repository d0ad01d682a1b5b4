"""Pages, forms and settings."""
