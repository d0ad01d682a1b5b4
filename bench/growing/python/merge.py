import sys

values = list(map(int, sys.stdin.buffer.read().split()))[1:]
n = len(values)


def merged(part):
    if len(part) < 2:
        return part
    middle = len(part) // 2
    left, right = merged(part[:middle]), merged(part[middle:])
    both, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] < right[j]:
            both.append(left[i])
            i += 1
        else:
            both.append(right[j])
            j += 1
    return both + left[i:] + right[j:]


result = sum(merged(values)[::100])
print(result)
