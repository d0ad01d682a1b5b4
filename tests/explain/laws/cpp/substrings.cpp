// input: text 10 20 50 100 200 400, 2000
// law: n*(n+1)//2
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    string text;
    cin >> text;
    long long sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            sum += text[i] == text[j]; //@
    cout << sum << '\n';
}
