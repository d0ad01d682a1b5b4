// Loops that g++ vectorises at -O2, over vectors that stay in the cache.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    std::vector<float> a(4096), b(4096), sums(4096);
    std::vector<int> x(4096), y(4096);
    for (int i = 0; i < 4096; i++) a[i] = i * 0.5f, b[i] = i % 7, x[i] = i * 31, y[i] = i % 13;
    for (int round = 0; round < 300000; round++) {
        for (int i = 0; i < 4096; i++) sums[i] += a[i] * b[i];
        for (int i = 0; i < 4096; i++) x[i] = std::max(x[i] ^ y[i], y[i] + 1);
    }
    printf("%d %f\n", x[7], sums[9]);
}
