#include <stdio.h>
#include <string>

int main(void) {
    int n;
    scanf("%d", &n);
    for (int i = 1; i <= n; ++i) {
        puts(std::to_string(i).c_str());
        if (i > 0) fflush(stdout);
    }
}
