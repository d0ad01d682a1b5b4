#include <iostream>
#include <vector>
using namespace std;

long long count_missing(long long n, const vector<long long>& stations, long long w) {
    long long count = 0;
    long long start = 1;  // the first flat that may not be served yet
    for (long long station : stations) {
        cerr << count << " " << start << "\n";
        long long gap = station - w - start;
        if (gap > 0) count += (gap + 2 * w) / (2 * w + 1);
        start = station + w + 1;
    }
    long long gap = n + 1 - start;
    if (gap > 0) count += (gap + 2 * w) / (2 * w + 1);
    return count;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    long long n;
    int m, q;
    cin >> n >> m >> q;
    vector<long long> stations(m);
    for (auto& station : stations) cin >> station;
    for (int i = 0; i < q; i++) {
        long long w;
        cin >> w;
        cout << count_missing(n, stations, w) << '\n';
    }
}
