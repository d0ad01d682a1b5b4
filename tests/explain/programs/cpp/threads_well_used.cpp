#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    array<int, 2> found{};
    vector<thread> threads;
    for (int t = 0; t < 2; t++)
        threads.emplace_back([&, t] {
            int count = 0;
            for (int i = 2 + t; i <= n; i += 2) {
                bool prime = true;
                for (int d = 2; d * d <= i && prime; d++) prime = i % d;
                count += prime;
            }
            found[t] = count;
        });
    for (thread& each : threads) each.join();
    cout << found[0] + found[1] << "\n";
}
