# own_65_all_answers.py: guesses without asking: all answers at once, the right one among them, in hope of a lenient interactor
# Expected: WA/RE. For our own grader's acceptance run only, never outside the sandbox.
print("".join(f"! {i}\n" for i in range(1, 1001)), end="", flush=True)
