#include <cstdio>
#include <cstdlib>
unsigned step(unsigned x) { return x * 1664525u + 1013904223u; }
int main(int count, char **) {
    unsigned x = count;
    for (int i = 0; i < 150'000'000; i++) x = step(x);
    std::printf("%u\n", x);
    for (int i = 0; i < 90'000'000; i++) x = step(x);
    std::printf("%u\n", x);
}
