#include <iostream>
#include <thread>
#include <vector>
using namespace std;

bool is_prime(int number) {
    if (number < 2) return false;
    for (int divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0) return false;
    return true;
}

// The same divisions as without threads, so the same CPU time.
int main() {
    const int threads = 4;
    int a, b;
    cin >> a >> b;
    vector<int> found(threads);
    vector<thread> workers;
    for (int t = 0; t < threads; t++)
        workers.emplace_back([&, t] {
            int count = 0;
            for (int number = a + t; number <= b; number += threads) count += is_prime(number);
            found[t] = count;
        });
    for (thread& worker : workers) worker.join();
    int sum = 0;
    for (int part : found) sum += part;
    cout << sum << '\n';
}
