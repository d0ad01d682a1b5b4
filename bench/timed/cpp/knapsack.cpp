#include <algorithm>
#include <cstdio>
#include <vector>
int main() {
    const int room = 100'000;
    std::vector<int> best(room + 1);
    unsigned x = 1;
    for (int item = 0; item < 1'500; item++) {
        x = x * 1664525u + 1013904223u;
        int weight = 1 + (x >> 16) % 1'000, value = 1 + (x >> 8) % 1'000;
        for (int have = room; have >= weight; have--) best[have] = std::max(best[have], best[have - weight] + value);
    }
    std::printf("%d\n", best[room]);
}
