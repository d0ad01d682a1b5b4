#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>
using namespace std;

// Words that occur equally often come out in reverse alphabetical order.
int main() {
    int n, k;
    cin >> n >> k;
    map<string, int> counts;
    for (string word; cin >> word;) {
        for (char& letter : word) letter = (char)tolower(letter);
        counts[word]++;
    }
    vector<pair<int, string>> order;
    for (const auto& [word, count] : counts) order.emplace_back(count, word);
    sort(order.rbegin(), order.rend());
    for (int i = 0; i < k; i++) cout << order[i].second << ' ' << order[i].first << '\n';
}
