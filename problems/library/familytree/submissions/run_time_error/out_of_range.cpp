#include <iostream>
#include <vector>
using namespace std;

// Takes it for granted that parents have smaller numbers than their children: one too small vector, at() throws.
int main() {
    int n;
    cin >> n;
    vector<int> generation = {0, 1};
    int generations = 1;
    for (int child = 2; child <= n; child++) {
        int parent;
        cin >> parent;
        generation.push_back(generation.at(parent) + 1);
        generations = max(generations, generation.back());
    }
    cout << generations << '\n';
}
