n = int(input())
with open("/tmp/numbers", "w") as file:
    for i in range(1, n + 1):
        file.write(f"{i}\n")
with open("/tmp/numbers") as file:
    print(file.read(), end="")
