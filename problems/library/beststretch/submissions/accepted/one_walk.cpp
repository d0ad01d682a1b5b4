#include <algorithm>
#include <iostream>

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int n;
    long long gain;
    std::cin >> n >> gain;
    long long best = gain, ending_today = gain;
    while (std::cin >> gain) {
        ending_today = std::max(gain, ending_today + gain);
        best = std::max(best, ending_today);
    }
    std::cout << best << '\n';
}
