#include <algorithm>
#include <cstdio>
#include <vector>
int main() {
    unsigned x = 1;
    std::vector<unsigned> values(1'500'000);
    for (auto &value : values) value = x = x * 1664525u + 1013904223u;
    std::sort(values.begin(), values.end());
    std::printf("%u\n", values[7]);
}
