"""The changed source that Tally tried, with what it measured; and how much of all explanations a reader may see."""
