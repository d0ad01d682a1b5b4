import io
import sys

n = int(input())
out = io.StringIO()
for i in range(1, n + 1):
    print(i, file=out, flush=True)
    out.flush()
sys.stdout.write(out.getvalue())
