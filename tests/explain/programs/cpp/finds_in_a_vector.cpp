#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n, x;
    cin >> n;
    vector<int> seen;
    long long total = 0;
    for (int i = 0; i < n; i++) {
        cin >> x;
        if (find(seen.begin(), seen.end(), x) == seen.end()) {  //~ costly-container
            seen.push_back(x);
            total += x;
        }
    }
    cout << total << "\n";
}
