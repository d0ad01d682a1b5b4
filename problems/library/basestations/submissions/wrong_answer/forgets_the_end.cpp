#include <iostream>
#include <vector>
using namespace std;

// Looks at the gap before every station, but not at the flats behind the last one.
int main() {
    long long n;
    int m, q;
    cin >> n >> m >> q;
    vector<long long> stations(m);
    for (auto& station : stations) cin >> station;
    for (int i = 0; i < q; i++) {
        long long w, count = 0, start = 1;
        cin >> w;
        for (long long station : stations) {
            long long gap = station - w - start;
            if (gap > 0) count += (gap + 2 * w) / (2 * w + 1);
            start = station + w + 1;
        }
        cout << count << '\n';
    }
}
