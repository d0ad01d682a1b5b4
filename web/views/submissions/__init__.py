"""Views of submissions: submitting, results, comparisons."""
