#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    for (int i = 0; i + 1 < n; i++) {
        if (a[i] > a[i + 1]) {
            swap(a[i], a[i + 1]);
            i = -1;
        }
    }
    for (int x : a) cout << x << "\n";
}
