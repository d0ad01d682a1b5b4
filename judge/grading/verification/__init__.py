"""Whether a package gives the verdicts that its setter expects: `verification.py` goes through the phases."""
