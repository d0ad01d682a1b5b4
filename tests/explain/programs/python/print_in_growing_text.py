def main():
    n = int(input())
    out = ""
    for i in range(1, n + 1):
        out += str(i) + "\n"  #~? conversion
        if len(out) > 5000:
            print(out, end="")
            out = ""
    print(out, end="")


main()
