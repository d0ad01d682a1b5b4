# own_27_terminal_settings.py: its output is a terminal: stops it, hangs it up, drains it, sets every mode; the grader must neither wait nor lose bytes
# Expected: AC/WA/RE. For our own grader's acceptance run only, never outside the sandbox.
import fcntl, os, struct, termios
t = termios.tcgetattr(1)
for request in (0x540A, 0x5437, 0x540E, 0x5422, 0x5410):
    try: fcntl.ioctl(1, request, 0); print("LEAK request", hex(request))
    except OSError: pass
t[0] |= termios.IXON | termios.IXOFF; t[3] |= termios.ICANON | termios.ECHO | termios.ISIG | termios.TOSTOP
termios.tcsetattr(1, termios.TCSANOW, t)
os.write(1, b"\x13\x03\x1a\x1c\x04")
termios.tcsetattr(1, termios.TCSADRAIN, t); termios.tcflush(1, termios.TCIOFLUSH)
print(3, flush=True)
