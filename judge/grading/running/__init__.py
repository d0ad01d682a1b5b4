"""Run the test cases of a submission, one by one, in its jail."""
