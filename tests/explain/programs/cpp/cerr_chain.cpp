#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        sum += x;
        cerr << "i=" << i << " sum=" << sum << "\n";  //~ unbuffered-stderr
    }
    cout << sum << '\n';
}
