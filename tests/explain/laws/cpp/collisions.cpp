// input: values 10 20 50 100 200 400, 2000
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
    vector<vector<int>> buckets(64);
    for (int i = 0; i < n; i++) {
        int key = 64 * i;
        for (int other : buckets[key % 64])
            sum += other == key; //@
        buckets[key % 64].push_back(key);
    }
    cout << sum << '\n';
}
