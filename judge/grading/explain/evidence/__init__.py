"""What rules are made of: the facts of a run, the record of a rule, and its words."""
