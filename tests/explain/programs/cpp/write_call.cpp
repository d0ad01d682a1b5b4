#include <bits/stdc++.h>
#include <unistd.h>

int main() {
    int n;
    std::cin >> n;
    for (int i = 1; i <= n; i++) {
        std::string line = std::to_string(i) + "\n";
        if (write(1, line.data(), line.size()) < 0) return 1;  //~ flush-per-line
    }
}
