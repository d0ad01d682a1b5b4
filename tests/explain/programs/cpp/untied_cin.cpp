#include <bits/stdc++.h>
using namespace std;

int main() {
    ios_base::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, x;
    cin >> n;
    while (n--) {
        cin >> x;
        cout << 2 * x << '\n';
    }
}
