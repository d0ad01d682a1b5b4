#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n, k;
    cin >> n >> k;
    unordered_map<string, int> counts;
    for (string word; cin >> word;) {
        for (char& letter : word) letter = (char)tolower(letter);
        counts[word]++;
    }
    vector<pair<int, string>> order;
    for (const auto& [word, count] : counts) order.emplace_back(-count, word);
    sort(order.begin(), order.end());
    for (int i = 0; i < k; i++) cout << order[i].second << ' ' << -order[i].first << '\n';
}
