#include <iostream>

int main() {
    int n;
    std::cin >> n;
    long long total = 0, x;
    for (int i = 0; i < n; i++) {
        std::cin >> x;  //~ line-by-line
        total += x;
    }
    std::cout << total << "\n";
}
