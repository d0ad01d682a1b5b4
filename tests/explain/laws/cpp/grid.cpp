// input: grid 3 5 8 13 21 34, 150
// law: 4*n*m
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    int m;
    cin >> m;
    vector<string> cells(n);
    for (auto &row : cells) cin >> row;
    long long sum = 0;
    int dx[] = {0, 0, 1, -1};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int d = 0; d < 4; d++) //@ 5*n*m
                sum += i + dx[d] >= 0 && cells[i][j] == '.'; //@
    cout << sum << '\n';
}
