#include <bits/stdc++.h>

int main() {
    int n;
    std::cin >> n;
    int i = 0;
    while (i++ < n)
        std::cout << i << '\n' << std::flush;  //~ flush-per-line
    return 0;
}
