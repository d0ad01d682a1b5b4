// 500,000 write calls of 7 bytes.
#include <unistd.h>
int main() {
    for (int i = 0; i < 500000; i++)
        if (write(1, "123456\n", 7) != 7) return 1;
}
