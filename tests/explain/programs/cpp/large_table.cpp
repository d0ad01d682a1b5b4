#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long total = 0, x;
    for (int i = 0; i < n; i++) cin >> x, total += x;
    vector<long long> table(20'000'000);
    for (size_t i = 1; i < table.size(); i++) table[i] = (table[i - 1] * 31 + total) % 1'000'003;
    cout << total + (table.back() < 0) << "\n";
}
