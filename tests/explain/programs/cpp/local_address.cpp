#include <cstdio>
#include <vector>

const std::vector<long long> &read() {
    std::vector<long long> values;
    int n;
    if (std::scanf("%d", &n) == 1) values.resize(n);
    for (long long &value : values) if (std::scanf("%lld", &value) != 1) break;
    return values;  //~ compiler-warning
}

int main() {
    long long total = 0;
    for (long long value : read()) total += value;
    std::printf("%lld\n", total);
}
