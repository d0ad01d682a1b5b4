#include <cstdio>
#include <utility>
#include <vector>
int main() {
    unsigned x = 1;
    std::vector<unsigned> values(9'000);
    for (auto &value : values) value = x = x * 1664525u + 1013904223u;
    for (size_t i = 0; i < values.size(); i++)
        for (size_t j = 0; j + 1 < values.size() - i; j++) if (values[j] > values[j + 1]) std::swap(values[j], values[j + 1]);
    std::printf("%u\n", values[5]);
}
