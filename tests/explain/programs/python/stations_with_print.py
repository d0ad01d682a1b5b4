def missing(n, w, stations):
    reach, count = 1, 0
    for s in [*stations, n + w + 1]:
        left = s - w
        if left > reach:
            count += -((reach - left) // (2 * w + 1))
        print(count)  #~ leftover-output
        reach = max(reach, s + w + 1)
    return count


n, m, w = map(int, input().split())
print(missing(n, w, list(map(int, input().split()))))
