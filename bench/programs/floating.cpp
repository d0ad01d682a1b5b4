// About a second of floating-point arithmetic on a small array. The argument is the work in thousandths.
#include <cmath>
#include <cstdio>
#include <cstdlib>
int main(int, char **argv) {
    double values[256], sum = 0;
    for (int i = 0; i < 256; i++) values[i] = 1 + i / 256.0;
    for (long i = std::atol(argv[1]) * 7500; i > 0; i--)
        for (double &value : values) value = value * 0.9999 + 1 / (1 + value);
    for (double value : values) sum += std::sqrt(value);
    std::printf("%.9f\n", sum);
}
