// input: sorted 10 20 50 100 200 400, 2000
// law: n*(n+1)//2
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
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (a[j] == a[i]) //@
                break;
            sum++; //@ n*(n-1)//2
        }
    cout << sum << '\n';
}
