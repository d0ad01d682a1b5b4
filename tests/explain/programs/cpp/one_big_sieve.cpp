#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, count = 0;
    cin >> n;
    vector<bool> composite(n + 1);
    vector<int> primes;
    for (int i = 2; i <= n; i++) {
        if (composite[i]) continue;
        primes.push_back(i);
        count++;
        for (long long j = 1LL * i * i; j <= n; j += i) composite[j] = true;
    }
    cout << count << endl;
}
