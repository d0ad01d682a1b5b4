#include <iostream>
#include <string>
#include <vector>
using namespace std;

bool has(vector<string> words, string word) {
    for (auto other : words)
        if (other == word) return true;
    return false;
}

int main() {
    int n;
    cin >> n;
    vector<string> words;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        string word;
        cin >> word;
        if (has(words, word)) continue;
        words.push_back(word);
        sum += stoll(word);
    }
    cout << sum << "\n";
}
