#include <iostream>
using namespace std;

const int SIZE = 20000;
int table[SIZE][SIZE];  //~ memory-limit

int main() {
    int n;
    cin >> n;
    long long total = 0;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        for (int j = 0; j < SIZE; j++)
            table[i][j] = value + j;
        total += table[i][0];
    }
    for (int i = n; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            table[i][j] = j;
    cout << total + table[SIZE - 1][0] << "\n";
}
