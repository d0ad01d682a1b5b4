#include <bits/stdc++.h>
using namespace std;

long long memo[100];

long long rabbits(int i) {
    if (i < 2) return i;
    if (memo[i]) return memo[i];
    return memo[i] = rabbits(i - 1) + rabbits(i - 2);
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    rabbits(90);
    int count = 0;
    for (int i = 2; i <= n; i++) {
        int j = 2;
        while (j < i && i % j) j++;
        count += j == i;
    }
    printf("%d\n", count);
}
