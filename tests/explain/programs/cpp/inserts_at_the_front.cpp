#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, x, total = 0;
    cin >> n;
    vector<long long> stack;
    while (cin >> x) stack.insert(stack.begin(), x);  //~ costly-container
    for (auto each : stack) total += each;
    cout << total << "\n";
}
