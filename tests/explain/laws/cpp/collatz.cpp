// input: lone 27 40 97 171 231 313 703, 871
// law: none
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    long long k = n;
    while (k != 1) {
        k = k % 2 ? 3 * k + 1 : k / 2;
        sum++;
    }
    cout << sum << '\n';
}
