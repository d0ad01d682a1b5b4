# own_03_name_of_input.py: asks where its input lies: the store's folder, the name of the hidden test
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import os
path = os.readlink("/proc/self/fd/0")
if not path.endswith(" (deleted)") or any(word in path for word in ("secret", "sample", "store")): print("LEAK", path)
if any(word in os.environ.get(key, "") for key in os.environ for word in ("secret", "sample", "store")): print("LEAK environment")
print(3)
