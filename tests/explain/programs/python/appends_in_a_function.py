def main():
    n = int(input())
    text = ""
    for i in range(1, n + 1):
        text += "%d\n" % i
    print(text, end="")


main()
