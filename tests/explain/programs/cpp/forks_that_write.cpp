#include <bits/stdc++.h>
#include <sys/wait.h>
#include <unistd.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<char> composite(8 << 20);
    composite[0] = composite[1] = 1;
    for (int d = 2; d * d <= n; d++)
        if (!composite[d])
            for (int m = d * d; m <= n; m += d) composite[m] = 1;
    for (int i = 0; i < 60; i++) {
        if (fork() == 0) {
            for (size_t at = 0; at < composite.size(); at += 4096) composite[at] ^= 1;
            _exit(0);
        }
        wait(nullptr);
    }
    cout << count(composite.begin(), composite.begin() + n + 1, 0) << "\n";
}
