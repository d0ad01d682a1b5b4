#include <bits/stdc++.h>
using namespace std;

int depth;

long long total(const vector<int>& a, int low, int high) {
    cerr << "total(" << low << ", " << high << ")" << endl;
    if (high - low == 1) return a[low];
    int middle = (low + high) / 2;
    depth++;
    return total(a, low, middle) + total(a, middle, high);
}

int main() {
    ios_base::sync_with_stdio(false);
    cin.tie(0);
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    cout << total(a, 0, n) << '\n';
}
