class Output:
    def __init__(self):
        self.parts = []

    def write(self, value):
        self.parts.append(str(value))

    def flush(self):
        self.parts[-1] += "\n"


out = Output()
n = int(input())
for i in range(1, n + 1):
    out.write(i)
    out.flush()
print("".join(out.parts), end="")
