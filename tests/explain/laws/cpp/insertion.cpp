// input: reversed 10 20 50 100 200 400, 2000
// law: n*(n-1)//2
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
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j] < a[j - 1]; j--)
            swap(a[j], a[j - 1]); //@
    sum = a[0];
    cout << sum << '\n';
}
