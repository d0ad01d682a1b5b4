"""Count, log and list what the operators need to see."""
