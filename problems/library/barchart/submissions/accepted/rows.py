n = int(input())
heights = list(map(int, input().split()))
for level in range(max(heights), 0, -1):
    row = " ".join("##" if height >= level else "  " for height in heights)
    print(row.rstrip())
print("=" * (3 * n - 1))
