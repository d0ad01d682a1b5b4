"""Operation of the site: readiness, metrics, backup, and the embedded services."""
