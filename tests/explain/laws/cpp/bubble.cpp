// input: reversed 10 20 50 100 200 400, 1500
// law: n*(n-1)
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
    bool swapped = true;
    while (swapped) {
        swapped = false;
        for (int j = 0; j + 1 < n; j++) //@ n*n
            if (a[j] > a[j + 1]) { //@
                swap(a[j], a[j + 1]);
                swapped = true;
            }
    }
    sum = a[0];
    cout << sum << '\n';
}
