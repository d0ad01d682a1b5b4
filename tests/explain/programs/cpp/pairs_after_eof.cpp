#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, x;
    vector<int> a;
    cin >> n;
    while (!cin.eof()) {
        cin >> x;
        if (a.size() < (size_t)n) a.push_back(x);
    }
    unsigned long long total = 0, others = 0;
    for (int p : a) {
        total += p;
        for (int q : a) others = others * 31 + (p ^ q);
    }
    cout << total + (others == 1) << "\n";
}
