// As work.c, in the ways of C++.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;
constexpr long hoard_bytes = 1L << 30;

static void say(const char *what, int times)
{
    for (int i = 0; i < times; i++)
        std::cout << what << ' ' << i << std::endl;
}

static void children(bool lingers)
{
    int done[2];
    sigset_t quiet;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGCHLD); // under strace it interrupts a read even when nobody handles it
    sigprocmask(SIG_BLOCK, &quiet, nullptr);
    pipe(done);
    if (fork() == 0) {
        say("child", 40);
        _exit(0);
    }
    wait(nullptr);
    if (fork() == 0) {
        say("orphan", 30);
        _exit(0);
    }
    if (fork() == 0) {
        if (fork() == 0) {
            setpgid(0, 0);
            say("grandchild", 20);
            if (lingers) {
                close(done[1]);
                pause();
            }
            _exit(close(done[1]));
        }
        _exit(0);
    }
    close(done[1]);
    char none;
    read(done[0], &none, 1);
}

int main(int count, char **argument)
{
    const std::string ending = argument[1];
    const int bytes = count > 3 ? std::atoi(argument[3]) : 0;
    void *place = mmap(nullptr, hoard_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    volatile char *hoard = static_cast<volatile char *>(place);

    std::ios::sync_with_stdio(false);
    std::string word;
    long words = 0;
    while (std::cin >> word)
        words++;
    for (int i = 0; i < 20000; i++)
        std::cout << i << '\n';
    std::cout << words << std::endl;
    std::ofstream("scratch") << std::string(30000, 'x');
    std::ifstream("scratch") >> word;
    std::cerr << word.size() << " characters\n";
    for (int i = 0; i < 2; i++)
        std::thread([] { say("thread", 100); std::this_thread::sleep_for(20ms); }).join();
    children(std::string(argument[2]) == "lingers");
    for (int i = 0; i < bytes || ending == "flood"; i++)
        std::cout.put('x').flush();
    while (ending == "spin")
        asm volatile("");
    if (ending == "sleep")
        std::this_thread::sleep_for(1h);
    for (long i = 0; ending == "hoard"; i += 4096)
        hoard[i % hoard_bytes] = 1;
    _exit(0);
}
