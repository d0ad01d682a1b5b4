"""The rules: each file finds causes of one kind in the facts and words them."""
