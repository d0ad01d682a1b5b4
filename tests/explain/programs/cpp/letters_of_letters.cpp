#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    long long x, total = 0;
    cin >> n;
    while (cin >> x) total += x;
    const regex pattern("([a-z]+)*");  //~ backtracking
    if (regex_match(string(32, 'a') + "!", pattern)) total++;
    cout << total << "\n";
}
