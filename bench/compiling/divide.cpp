// Divisions by what the compiler cannot know: greatest common divisors, powers to a modulus, trial division.
#include <cstdio>

static long long gcd(long long a, long long b) { return b ? gcd(b, a % b) : a; }

static long long power(long long base, long long exponent, long long modulus) {
    long long result = 1;
    for (; exponent; exponent >>= 1, base = base * base % modulus)
        if (exponent & 1) result = result * base % modulus;
    return result;
}

int main(int count, char**) {
    long long sum = 0, modulus = 1000000006 + count;
    for (int i = 1; i < 400000; i++) sum += gcd(i * 977LL, modulus - i) + power(i, 1000003, modulus);
    for (int n = 2; n < 300000; n++)
        for (int divisor = 2; divisor * divisor <= n && n % divisor; divisor++) sum += n / divisor;
    printf("%lld\n", sum);
}
