// own_46_poison_cache.cpp: writes to every place where compiling may keep something for the next one, at run time too
// Expected: AC/WA. For our own grader's acceptance run only, never outside the sandbox.
#include <bits/stdc++.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
int main() {
    for (const char* folder : {"/headers", "/headers/bits", "/program", "/tally", "/usr/include", "/usr/include/c++", "/usr/lib", "/etc/alternatives", "/", "/dev", "/proc", "/proc/self", "/bin"}) {
        std::string name = std::string(folder) + "/poison.h";
        if (open(name.c_str(), O_WRONLY | O_CREAT, 0666) >= 0 || mkdir((name + "d").c_str(), 0777) == 0 || symlink("/box", (name + "l").c_str()) == 0) printf("LEAK wrote to %s\n", folder);
        if (chmod(folder, 0777) == 0 || rename(folder, "/box/x") == 0 || rmdir(folder) == 0) printf("LEAK changed %s\n", folder);
    }
    if (open("/tally/coalesce.so", O_WRONLY) >= 0 || open("/proc/self/exe", O_WRONLY) >= 0) puts("LEAK opened for writing");
    if (!access("/headers", F_OK)) puts("LEAK the prepared header is there at run time");
    puts("3");
}
