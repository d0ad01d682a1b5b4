n = int(input())


def find(wanted):
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if middle <= wanted:
            low = middle  #~ may-never-end
        else:
            high = middle - 1
    return low


for i in range(1, n + 1):
    print(find(i))
