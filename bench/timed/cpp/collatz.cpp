#include <cstdio>
int main() {
    long best = 0, longest = 0;
    for (long start = 1; start < 400'000; start++) {
        long length = 1;
        for (long n = start; n != 1; length++) n = n % 2 ? 3 * n + 1 : n / 2;
        if (length > longest) longest = length, best = start;
    }
    std::printf("%ld %ld\n", best, longest);
}
