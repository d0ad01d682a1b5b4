#include <bits/stdc++.h>
using namespace std;

mutex lock_;
condition_variable changed;
int next_number = 2, total = 0;

void work(int parity, int n) {
    while (true) {
        unique_lock<mutex> guard(lock_);
        changed.wait(guard, [&] { return next_number > n || next_number % 2 == parity; });
        if (next_number > n) break;
        bool prime = true;
        for (int d = 2; d * d <= next_number && prime; d++) prime = next_number % d;
        total += prime;
        next_number++;
        changed.notify_all();
    }
    changed.notify_all();
}

int main() {
    int n;
    cin >> n;
    thread even(work, 0, n), odd(work, 1, n);  //~ taking-turns
    even.join();
    odd.join();
    cout << total << "\n";
}
