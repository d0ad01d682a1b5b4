// input: pair 5 10 20 40 60 100 150, 800
// law: n*m
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    int m;
    cin >> m;
    long long sum = 0;
    vector<int> best(m + 1);
    for (int i = 0; i < n; i++)
        for (int j = m; j > 0; j--) //@ n*(m+1)
            best[j] = max(best[j], best[j - 1] + i % 3); //@
    sum = best[m];
    cout << sum << '\n';
}
