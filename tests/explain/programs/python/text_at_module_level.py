n = int(input())
text = ""
for i in range(1, n + 1):
    text = text + "%d " % i  #~ copying
print(text.replace(" ", chr(10)), end="")
