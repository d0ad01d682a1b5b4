#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>
#include <utility>
#include <vector>
using namespace std;

// Looks each word up in a list, from the front.
int main() {
    int n, k;
    cin >> n >> k;
    vector<pair<int, string>> counts;
    for (string word; cin >> word;) {
        for (char& letter : word) letter = (char)tolower(letter);
        auto place = find_if(counts.begin(), counts.end(), [&](const auto& entry) { return entry.second == word; });
        if (place == counts.end()) place = counts.insert(counts.end(), {0, word});
        place->first--;
    }
    sort(counts.begin(), counts.end());
    for (int i = 0; i < k; i++) cout << counts[i].second << ' ' << -counts[i].first << '\n';
}
