n = int(input())


def show(i):
    if i > n:
        return 0
    print(i)
    return show(i + 1) + 1  #~ recursion-limit


show(1)
