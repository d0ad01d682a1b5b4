#include <algorithm>
#include <iostream>

int main() {
    int n;
    long long gain, best = 0, ending_today = 0;
    std::cin >> n;
    while (std::cin >> gain) {
        ending_today = std::max(0LL, ending_today + gain);
        best = std::max(best, ending_today);
    }
    std::cout << best << '\n';
}
