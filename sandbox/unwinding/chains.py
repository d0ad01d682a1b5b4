"""Call chains of the samples of a run, as a reader or a sampler prints them."""

import json
from collections import Counter

Chains = Counter[tuple[tuple[int, ...], bool]]  # innermost first, and whether outer calls, or all, are missing


def answer(chains: Chains) -> str:
    """Return {"stacks": [[chain, samples, is_cut], ...]} as JSON, the most frequent first."""
    return json.dumps({"stacks": [[chain, number, is_cut] for (chain, is_cut), number in chains.most_common()]})
