#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

int main() {
    int n;
    long long sum = 0, value;
    if (scanf("%d", &n) != 1) return 1;
    while (scanf("%lld", &value) == 1) sum += value;
    printf("%lld\n", sum);
    if (fork() == 0) return 0;  //~ doubled-buffer
    wait(nullptr);
}
