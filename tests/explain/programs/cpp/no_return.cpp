#include <iostream>
#include <vector>

long long total = 0;

std::vector<int> rest(const std::vector<int> &values, std::size_t from) {
    if (from > values.size()) return {};
    total += from < values.size() ? values[from] : 0;  //~ compiler-warning
}

int main() {
    int n;
    std::cin >> n;
    std::vector<int> values(n);
    for (int &value : values) std::cin >> value;
    for (int i = 0; i <= n; i++) rest(values, i);
    std::cout << total << '\n';
}
