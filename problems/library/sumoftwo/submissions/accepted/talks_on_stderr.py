import sys

print("Enter two numbers:", file=sys.stderr)  # standard error is not judged
a, b = map(int, input().split())
print(a + b)
