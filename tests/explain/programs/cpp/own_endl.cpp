#include <iostream>

namespace fast {
std::ostream& endl(std::ostream& out) { return out.put('\n'); }
}  // namespace fast

int main() {
    std::ios::sync_with_stdio(false);
    int n;
    std::cin >> n;
    for (int i = 1; i <= n; i++) std::cout << i << fast::endl;
}
