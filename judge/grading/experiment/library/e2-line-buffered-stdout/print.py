for i in range(500_000):
    print(i)
