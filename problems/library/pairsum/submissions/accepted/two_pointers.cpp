#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n;
    long long target;
    cin >> n >> target;
    vector<pair<long long, int>> articles(n);
    for (int i = 0; i < n; i++) {
        cin >> articles[i].first;
        articles[i].second = i + 1;
    }
    sort(articles.begin(), articles.end());
    int low = 0, high = n - 1;
    while (low < high) {
        long long sum = articles[low].first + articles[high].first;
        if (sum == target) {
            cout << articles[low].second << ' ' << articles[high].second << '\n';
            return 0;
        }
        if (sum < target) low++;
        else high--;
    }
    cout << "impossible\n";
}
