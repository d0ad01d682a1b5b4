#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    string line;
    getline(cin, line);
    long long total = 0;
    while (getline(cin, line)) {
        stringstream words(line);  //~ conversion
        long long x;
        words >> x;
        total += x;
    }
    cout << total << "\n";
}
