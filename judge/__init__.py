"""Turn a submission into verdicts. The grading core is plain Python; rows, tasks and the queue stand beside it."""
