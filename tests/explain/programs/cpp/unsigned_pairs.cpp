#include <bits/stdc++.h>
using namespace std;

int main() {
    unsigned n;
    cin >> n;
    vector<unsigned> a(n);
    for (auto &x : a) cin >> x;
    unsigned long long total = 0, others = 0;
    for (unsigned i = n; i-- > 0;) {
        total += a[i];
        for (unsigned j = n - 1; j > 0; j--) others = others * 31 + (a[i] ^ a[j]);
    }
    cout << total + (others == 1) << "\n";
}
