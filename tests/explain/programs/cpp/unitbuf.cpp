#include <bits/stdc++.h>
using namespace std;

int main() {
    cin.tie(nullptr);
    int n;
    cin >> n;
    cout << unitbuf;  //~? flush-per-line
    for (int i = 1; i <= n; i++) cout << i << '\n';  //~? flush-per-line
}
