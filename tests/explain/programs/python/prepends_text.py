def main():
    n = int(input())
    text = ""
    for i in range(n, 0, -1):
        text = "%d " % i + text  #~ copying
    print(text.replace(" ", chr(10)), end="")


main()
