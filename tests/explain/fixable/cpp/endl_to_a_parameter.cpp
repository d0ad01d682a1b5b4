#include <iostream>

struct Pair {
    int first;
};

std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.first << std::endl; }

int main() {
    int n;
    std::cin >> n;
    for (int i = 1; i <= n; i++) std::cout << Pair{i};
}
