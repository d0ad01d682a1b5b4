# own_92_folded.py: right, with constants, formats and patterns in it that are never needed, but that the compiler may work out
# Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
def never():
    a = "x" * 10**9, b"x" * 10**12, (0,) * 10**10, [0] * 10**10, (1, 2, 3) * 10**9
    b = 10**10**7, 1 << 10**10, 2**2**2**2**2**3, -(1 << 10**9), 9**9**9**9, "%1000000000d" % 1
    c = (((("a" * 4096) * 4096) * 4096) * 4096) * 0, ((((1 << 127) ** 64) ** 64) ** 64) ** 64
    d = f"{a:{'1' * 10**9}}{b!r:>{10**10}}" f"{'x' * 10**9}"
    match a:
        case [[[[[[[[*_], *_], *_], *_], *_], *_], *_], *_] | {"x": {"x": {"x": [*_]}}}:
            pass
    return [1 for i in [0] for j in [i] * 10**9 for k in "x" * 10**9 if k in {0, 1, 2}], c, d
print(sum(map(int, input().split())))
