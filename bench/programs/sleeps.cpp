// Sleeps for so many milliseconds.
#include <cstdlib>
#include <unistd.h>
int main(int, char **arguments) { usleep(std::atoi(arguments[1]) * 1000); }
