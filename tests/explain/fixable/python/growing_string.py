n = int(input())
out = ""
for i in range(1, n + 1):
    out = out + str(i) + "\n"
print(out, end="")
