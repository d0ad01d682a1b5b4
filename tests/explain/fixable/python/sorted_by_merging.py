import sys


def merge(left, right):
    merged = []
    while left and right:
        if left[0] <= right[0]:
            merged.append(left.pop(0))
        else:
            merged.append(right.pop(0))
    merged += left
    merged += right
    return merged


def merge_sort(values):
    if len(values) < 2:
        return values
    middle = len(values) // 2
    return merge(merge_sort(values[:middle]), merge_sort(values[middle:]))


numbers = list(map(int, sys.stdin.read().split()))[1:]
print("\n".join(map(str, merge_sort(numbers))))
