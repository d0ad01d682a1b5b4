import sys


def ordered(a):
    if len(a) < 2:
        return a
    middle = len(a) // 2
    left, right = ordered(a[:middle]), ordered(a[middle:])
    merged = []
    while left and right:
        if left[0] <= right[0]:
            merged.append(left.pop(0))  #~ costly-container
        else:
            merged.append(right.pop(0))  #~ costly-container
    return merged + left + right


numbers = list(map(int, sys.stdin.read().split()))[1:]
print("\n".join(map(str, ordered(numbers))))
