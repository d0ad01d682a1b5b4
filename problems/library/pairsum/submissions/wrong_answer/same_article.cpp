#include <iostream>
#include <unordered_map>
using namespace std;

// Puts an article on the shelf before looking for its partner: it may find itself.
int main() {
    int n;
    long long target, price;
    cin >> n >> target;
    unordered_map<long long, int> seen;
    for (int i = 1; i <= n; i++) {
        cin >> price;
        seen[price] = i;
        auto partner = seen.find(target - price);
        if (partner != seen.end()) {
            cout << partner->second << ' ' << i << '\n';
            return 0;
        }
    }
    cout << "impossible\n";
}
