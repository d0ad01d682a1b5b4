#include <cctype>
#include <cstdio>
#include <cstring>

char text[3000000];

int main() {
    int n;
    scanf("%d %2999999s", &n, text);
    for (int i = 0; i < (int)strlen(text); i++) {
        putchar(toupper(text[i]));
        putchar('\n');
    }
}
