import io
import sys

# What python -u and PYTHONUNBUFFERED=1 make of stdout: each piece that is printed is written at once.
sys.stdout = io.TextIOWrapper(open(1, "wb", buffering=0), write_through=True)

for i in range(500_000):
    print(i)
