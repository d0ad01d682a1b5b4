#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n, m, w;
    cin >> n >> m >> w;
    vector<int> stations(m);
    for (int& s : stations) cin >> s;
    stations.push_back(n + w + 1);
    int start = 1, count = 0;
    for (int s : stations) {
        if (s - w > start) count += (s - w - start + 2 * w) / (2 * w + 1);
        start = max(start, s + w + 1);
        cout << "count " << count << ' ';  //~ leftover-output
        cout << "start " << start << endl;  //~ leftover-output flush-per-line
    }
    cout << count << endl;
}
