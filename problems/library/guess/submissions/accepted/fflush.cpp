#include <cstdio>

int main() {
    int high, low = 1;
    if (scanf("%d", &high) != 1) return 1;
    while (low < high) {
        int middle = (low + high) / 2;
        printf("? %d\n", middle);
        fflush(stdout);
        char reply;
        if (scanf(" %c", &reply) != 1) return 1;
        if (reply == '=') low = high = middle;
        else if (reply == '<') high = middle - 1;
        else low = middle + 1;
    }
    printf("! %d\n", low);
}
