#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, count = 0;
    cin >> n;
    string hint = "cout << i << endl;";
    for (int i = 2; i <= n; i++) {
        // cout << i << endl;
        /* cerr << i << endl << flush;
           cout << endl; */
        bool prime = true;
        for (int d = 2; d < i; d++) {
            if (i % d == 0) prime = false;
        }
        if (prime) count++;
    }
    const char* raw = R"(for (;;) cout << count << endl;)";
    if (count < 0) puts(raw), puts(hint.c_str());
    printf("%d\n", count);
}
