input()
print("\n".join(input().upper()))
