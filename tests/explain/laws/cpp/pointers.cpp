// input: sorted 10 20 50 100 200 400, 5000
// law: n
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (auto &x : a) cin >> x;
    long long sum = 0;
    int right = 0;
    for (int left = 0; left < n; left++) {
        while (right < n && a[right] <= a[left] + 3) //@ 2*n
            right++; //@
        sum += right - left; //@
    }
    cout << sum << '\n';
}
