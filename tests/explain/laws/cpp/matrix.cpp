// input: lone 4 6 8 12 16 24 32, 100
// law: n**3
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    vector<vector<int>> x(n, vector<int>(n, 1)), z = x;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                z[i][j] += x[i][k] * x[k][j]; //@
    sum = z[0][0];
    cout << sum << '\n';
}
