n = int(input())


def find(wanted):
    low, high = 0, n
    while low < high:  #~ may-never-end
        middle = (low + high) // 2
        if middle <= wanted:
            low = middle
        else:
            high = middle - 1
    return low


for i in range(1, n + 1):
    print(find(i))
