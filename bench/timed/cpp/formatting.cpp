#include <cstdio>
#include <string>
int main() {
    char text[64];
    size_t sum = 0;
    for (int i = 0; i < 1'500'000; i++) {
        sum += std::snprintf(text, sizeof text, "%d %s", i, "word");
        sum += text[0];
    }
    std::printf("%zu\n", sum);
}
