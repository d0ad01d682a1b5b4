#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    vector<long long> queue(n);
    for (auto& x : queue) cin >> x;
    long long total = 0;
    while (!queue.empty()) {
        total += queue.front();
        queue.erase(queue.begin());  //~ costly-container
    }
    cout << total << "\n";
}
