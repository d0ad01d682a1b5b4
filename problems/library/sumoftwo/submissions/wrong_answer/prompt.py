a, b = map(int, input("Enter two numbers: ").split())  # the prompt goes to standard output
print(a + b)
