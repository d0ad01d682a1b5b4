#include <algorithm>
#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<long long> gains(n);
    for (auto& gain : gains) std::cin >> gain;
    long long best = gains[0];
    for (int start = 0; start < n; start++) {
        long long total = 0;
        for (int day = start; day < n; day++) best = std::max(best, total += gains[day]);
    }
    std::cout << best << '\n';
}
