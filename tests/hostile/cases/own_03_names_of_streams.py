# own_03_names_of_streams.py: asks where its input and output lie: the store's folder, the name of the hidden test
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
import os
for n in range(3):
    name = os.readlink(f"/proc/self/fd/{n}")
    if name != "/": print("LEAK", n, name)
if any(word in os.environ.get(key, "") for key in os.environ for word in ("secret", "sample", "store")): print("LEAK environment")
print(3)
