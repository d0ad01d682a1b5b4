#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

// Prints a line end between lines, but none after the last one.
int main() {
    int n;
    cin >> n;
    vector<int> heights(n);
    for (int& height : heights) cin >> height;
    for (int level = *max_element(heights.begin(), heights.end()); level > 0; level--) {
        string row;
        for (int bar = 0; bar < n; bar++) {
            if (heights[bar] < level) continue;
            row.resize(3 * bar, ' ');
            row += "##";
        }
        cout << row << '\n';
    }
    cout << string(3 * n - 1, '=');
}
