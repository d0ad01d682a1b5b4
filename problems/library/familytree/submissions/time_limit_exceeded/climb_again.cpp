#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> parents(n + 1);
    for (int child = 2; child <= n; child++) cin >> parents[child];
    int generations = 0;
    for (int person = 1; person <= n; person++) {
        int generation = 1;
        for (int ancestor = person; ancestor != 1; ancestor = parents[ancestor]) generation++;
        generations = max(generations, generation);
    }
    cout << generations << '\n';
}
