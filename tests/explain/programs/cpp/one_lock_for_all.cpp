#include <bits/stdc++.h>
using namespace std;

mutex lock_of_all;
volatile long long steps = 0;

void work(int n) {
    for (int i = 0; i < 300 * n; i++) {
        lock_guard<mutex> held(lock_of_all);
        for (int j = 0; j < 300; j++) steps = steps + 1;
    }
}

int main() {
    int n;
    cin >> n;
    long long total = 0, x;
    for (int i = 0; i < n; i++) cin >> x, total += x;
    vector<thread> threads;  //~? lock-storm taking-turns waiting
    for (int i = 0; i < 4; i++) threads.emplace_back(work, n);
    for (auto& each : threads) each.join();
    cout << total << "\n";
}
