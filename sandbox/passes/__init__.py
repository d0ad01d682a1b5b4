"""Keep profile passes and graded runs of a host apart: passes go together, in rounds that a keeper leads."""
