#include <bits/stdc++.h>
using namespace std;

int main() {
    unsigned n;
    cin >> n;
    vector<unsigned> a(n + 1);
    for (unsigned i = 1; i <= n; i++) cin >> a[i];
    volatile unsigned long long total = 0;
    for (unsigned i = n; i >= 0; i--) total = total * 31 + a[i % n + 1];  //~ may-never-end
    cout << total << "\n";
}
