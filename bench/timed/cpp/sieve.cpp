#include <cstdio>
#include <vector>
int main() {
    const int most = 20'000;
    long count = 0;
    for (int round = 0; round < 5'000; round++) {
        static bool is_composite[most + 1];
        for (int i = 0; i <= most; i++) is_composite[i] = false;
        for (int i = 2; i <= most / i; i++)
            if (!is_composite[i])
                for (int j = i * i; j <= most; j += i) is_composite[j] = true;
        count += is_composite[19'997];
    }
    std::printf("%ld\n", count);
}
