"""The queue as database rows: leases, fairness, matching of workers, wake-ups, retries."""
