#include <bits/stdc++.h>

struct Printer {
    template <typename T>
    Printer& operator<<(const T& value) {
        std::cout << value << '\n';  //~? flush-per-line
        std::cout.flush();  //~ flush-per-line
        return *this;
    }
};

int main() {
    Printer printer;
    int n;
    std::cin >> n;
    for (int i = 1; i <= n; i++) printer << i;  //~? flush-per-line
}
