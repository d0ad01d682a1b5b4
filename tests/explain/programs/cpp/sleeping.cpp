#include <bits/stdc++.h>

int main() {
    int n, count = 0;
    std::cin >> n;
    for (int i = 2; i <= n; i++) {
        bool prime = true;
        for (int d = 2; d < i; d++) prime = prime && i % d;
        count += prime;
        std::this_thread::sleep_for(std::chrono::milliseconds(8));  //~ waiting
    }
    std::cout << count << "\n";
}
