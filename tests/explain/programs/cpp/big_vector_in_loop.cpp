#include <bits/stdc++.h>
using namespace std;

bool is_prime(int number) {
    vector<char> divides(48 << 20, 1);
    for (int d = 2; d < number; d++) divides[d] = number % d != 0;
    return all_of(divides.begin(), divides.begin() + number, [](char c) { return c; });
}

int main() {
    int n, count = 0;
    cin >> n;
    for (int i = 2; i <= n; i++) count += is_prime(i);
    cout << count << "\n";
}
