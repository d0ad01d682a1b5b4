#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, count = 0;
    cin >> n;
    vector<char> composite(n + 1);
    for (int i = 2; i <= n; i++) {
        printf("candidate %d is %s\n", i, composite[i] ? "composite" : "prime");  //~? leftover-output
        if (composite[i]) continue;
        count++;
        for (long long j = 1LL * i * i; j <= n; j += i) composite[j] = 1;
    }
    printf("%d\n", count);
}
