#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    vector<vector<int>> children(n + 1);
    for (int child = 2; child <= n; child++) {
        int parent;
        cin >> parent;
        children[parent].push_back(child);
    }
    int generations = 0;
    vector<int> people = {1};
    while (!people.empty()) {
        generations++;
        vector<int> next;
        for (int person : people) next.insert(next.end(), children[person].begin(), children[person].end());
        people.swap(next);
    }
    cout << generations << '\n';
}
