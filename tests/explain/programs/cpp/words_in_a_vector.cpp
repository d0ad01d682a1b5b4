#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<string> seen;
    long long total = 0;
    for (int i = 0; i < n; i++) {
        string word;
        cin >> word;
        bool is_new = true;
        for (auto& other : seen)  //~? costly-container
            if (other == word) {  //~? costly-container
                is_new = false;  //~? costly-container
                break;
            }
        if (is_new) {
            seen.push_back(word);
            total += stoll(word);
        }
    }
    cout << total << "\n";
}
