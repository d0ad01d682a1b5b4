"""The kinds of reruns of a judged case: `kinds.py` has a complete record of each, `suggestions.py` when each one comes
with a verdict without a request.
"""
