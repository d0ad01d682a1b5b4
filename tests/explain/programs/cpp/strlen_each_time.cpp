#include <cstdio>
#include <cstring>
using namespace std;

char text[2000000];

int main() {
    size_t length = fread(text, 1, sizeof text - 1, stdin);
    text[length] = 0;
    long long total = 0, value = 0;
    bool is_first = true;
    for (size_t i = 0; i < strlen(text); i++) {  //~ repeated-pass
        if (text[i] == '\n') {
            if (!is_first)
                total += value;
            is_first = false;
            value = 0;
            text[i] = ' ';
        } else {
            value = 10 * value + text[i] - '0';
        }
    }
    printf("%lld\n", total);
}
