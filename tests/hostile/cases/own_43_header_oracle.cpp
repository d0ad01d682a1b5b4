// own_43_header_oracle.cpp: asks for what lies near the compiler: the prepared header, caches, other sources, keys, the names of the host
// Expected: WA/CE. For our own grader's acceptance run only, never outside the sandbox.
#include <bits/stdc++.h>
int main() {
#if __has_include("/headers/bits/stdc++.h.gch")
    puts("INFO /headers/bits/stdc++.h.gch");
#endif
#if __has_include("/program/main.cpp")
    puts("INFO /program/main.cpp");
#endif
#if __has_include("/tally/coalesce.so")
    puts("INFO /tally/coalesce.so");
#endif
#if __has_include("/headers/../sha256")
    puts("LEAK /headers/../sha256");
#endif
#if __has_include("/headers/sha256")
    puts("LEAK /headers/sha256");
#endif
#if __has_include("/cache/compiled")
    puts("LEAK /cache/compiled");
#endif
#if __has_include("/box/main")
    puts("LEAK /box/main");
#endif
#if __has_include("/var/lib/tally")
    puts("LEAK /var/lib/tally");
#endif
#if __has_include("/root/.ssh/authorized_keys")
    puts("LEAK /root/.ssh/authorized_keys");
#endif
#if __has_include("/etc/hostname")
    puts("LEAK /etc/hostname");
#endif
#if __has_include("/etc/passwd")
    puts("LEAK /etc/passwd");
#endif
#if __has_include("/etc/shadow")
    puts("LEAK /etc/shadow");
#endif
#if __has_include("/etc/oj-canary-host")
    puts("LEAK /etc/oj-canary-host");
#endif
#if __has_include("/proc/1/environ")
    puts("LEAK /proc/1/environ");
#endif
#if __has_include("/proc/1/root")
    puts("LEAK /proc/1/root");
#endif
#if __has_include("/proc/cmdline")
    puts("LEAK /proc/cmdline");
#endif
#if __has_include("/sys/kernel")
    puts("LEAK /sys/kernel");
#endif
#if __has_include("/scratch/sys/kernel/ns_last_pid")
    puts("LEAK /scratch/sys/kernel/ns_last_pid");
#endif
#if __has_include("/proc/sys/kernel/hostname")
    puts("LEAK /proc/sys/kernel/hostname");
#endif
#if __has_include("/proc/meminfo")
    puts("LEAK /proc/meminfo");
#endif
#if __has_include("/proc/loadavg")
    puts("LEAK /proc/loadavg");
#endif
#if __has_include("/dev/sda")
    puts("LEAK /dev/sda");
#endif
#if __has_include("/dev/vda")
    puts("LEAK /dev/vda");
#endif
#if __has_include("/dev/tty")
    puts("LEAK /dev/tty");
#endif
#if __has_include("/dev/ptmx")
    puts("LEAK /dev/ptmx");
#endif
#if __has_include("/dev/kmsg")
    puts("LEAK /dev/kmsg");
#endif
#if __has_include("/run/docker.sock")
    puts("LEAK /run/docker.sock");
#endif
#if __has_include("/home")
    puts("LEAK /home");
#endif
#if __has_include("/srv")
    puts("LEAK /srv");
#endif
#if __has_include("/opt")
    puts("LEAK /opt");
#endif
#if __has_include("/var/tmp")
    puts("LEAK /var/tmp");
#endif
#if __has_include("/var")
    puts("LEAK /var");
#endif
}
