#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    deque<int> a(n), sorted;
    for (auto& x : a) cin >> x;
    while (!a.empty()) {
        auto least = a.begin();
        for (auto it = a.begin(); it != a.end(); ++it)
            if (*it < *least) least = it;
        swap(*least, a.front());
        sorted.push_back(a.front());
        a.pop_front();
    }
    for (int x : sorted) cout << x << "\n";
}
