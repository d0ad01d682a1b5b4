#include <algorithm>
#include <cstdlib>
#include <iostream>
using namespace std;

int main() {
    long long n, reading, a, c, m;
    cin >> n >> reading >> a >> c >> m;
    long long largest = reading, records = 1, difference = 0;
    for (long long i = 1; i < n; i++) {
        long long next = (a * reading + c) % m;
        if (next > largest) {
            largest = next;
            records++;
        }
        difference = max(difference, llabs(next - reading));
        reading = next;
    }
    cout << records << ' ' << difference << '\n';
}
