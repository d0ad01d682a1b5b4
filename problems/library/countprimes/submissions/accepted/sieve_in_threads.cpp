#include <algorithm>
#include <iostream>
#include <thread>
#include <vector>
using namespace std;

// Four threads, each with a quarter of the range: threads are allowed, and here the work is little enough.
int main() {
    const int threads = 4;
    int a, b;
    cin >> a >> b;
    vector<int> small_primes;
    for (int p = 2; p * p <= b; p++)
        if (all_of(small_primes.begin(), small_primes.end(), [p](int q) { return p % q != 0; })) small_primes.push_back(p);
    vector<long> found(threads);
    vector<thread> workers;
    const int share = (b - a) / threads + 1;
    for (int t = 0; t < threads; t++)
        workers.emplace_back([&, t] {
            const int low = a + t * share, high = min(b + 1, low + share);
            if (low >= high) return;
            vector<char> is_prime(high - low, 1);
            for (int p : small_primes)
                for (int multiple = max(p * p, (low + p - 1) / p * p); multiple < high; multiple += p)
                    is_prime[multiple - low] = 0;
            if (low == 1) is_prime[0] = 0;
            found[t] = count(is_prime.begin(), is_prime.end(), 1);
        });
    for (thread& worker : workers) worker.join();
    long sum = 0;
    for (long part : found) sum += part;
    cout << sum << '\n';
}
