"""What operators need: readiness, metrics, backup, and the embedded services."""
