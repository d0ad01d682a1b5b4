#include <bits/stdc++.h>
using namespace std;

int main() {
    long long n, count = 0;
    cin >> n;
    for (long long p = 2;; p++) {
        if (p > n) break;
        bool is_prime = true;
        for (long long d = 2; d < p && is_prime; d++) is_prime = p % d != 0;
        count += is_prime;
    }
    cout << count << "\n";
}
