#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n;
    long long target;
    cin >> n >> target;
    vector<long long> prices(n);
    for (auto& price : prices) cin >> price;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (prices[i] + prices[j] == target) {
                cout << i + 1 << ' ' << j + 1 << '\n';
                return 0;
            }
    cout << "impossible\n";
}
