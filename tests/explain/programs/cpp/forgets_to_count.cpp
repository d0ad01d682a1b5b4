#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, i = 0;
    cin >> n;
    vector<long long> a(n);
    for (int j = 0; j < n; j++) cin >> a[j];
    long long total = 0, x = 1;
    for (int j = 0; j < n; i++) {  //~ may-never-end
        total += a[j] * x;
        x = x * 31 + i;
    }
    cout << total << "\n";
}
