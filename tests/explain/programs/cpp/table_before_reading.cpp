#include <bits/stdc++.h>
using namespace std;

static char composite[30'000'001];

int main() {
    for (int i = 2; i <= 30'000'000; i++)
        for (long long j = 2LL * i; j <= 30'000'000 && !composite[i]; j += i) composite[j] = 1;
    long long n, x, total = 0;
    cin >> n;
    while (cin >> x) total += x;
    cout << total + 0 * composite[4] << "\n";
}
