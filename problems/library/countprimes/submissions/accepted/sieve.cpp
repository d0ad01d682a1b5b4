#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    int a, b;
    cin >> a >> b;
    vector<char> is_prime(b + 1, 1);
    is_prime[0] = is_prime[1] = 0;
    for (int p = 2; p * p <= b; p++)
        if (is_prime[p])
            for (int multiple = p * p; multiple <= b; multiple += p) is_prime[multiple] = 0;
    cout << count(is_prime.begin() + a, is_prime.end(), 1) << '\n';
}
