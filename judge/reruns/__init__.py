"""The kinds of reruns of a judged case."""
