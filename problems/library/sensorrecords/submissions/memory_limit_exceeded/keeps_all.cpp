#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    long long n, reading, a, c, m;
    cin >> n >> reading >> a >> c >> m;
    vector<long long> readings;
    for (long long i = 0; i < n; i++) {
        readings.push_back(reading);
        reading = (a * reading + c) % m;
    }
    long long largest = -1, records = 0, difference = 0;
    for (long long i = 0; i < n; i++) {
        if (readings[i] > largest) {
            largest = readings[i];
            records++;
        }
        if (i > 0) difference = max(difference, llabs(readings[i] - readings[i - 1]));
    }
    cout << records << ' ' << difference << '\n';
}
