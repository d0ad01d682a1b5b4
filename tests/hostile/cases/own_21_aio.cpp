// own_21_aio.cpp: asynchronous I/O: requests from a pool of the whole host, writes that are in no book
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
#include <cstdio>
#include <cstring>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>
int main() {
    aio_context_t c = 0;
    if (syscall(SYS_io_setup, 4096, &c) == 0) puts("LEAK io_setup");
    iocb b; memset(&b, 0, sizeof b); iocb* list[] = {&b}; static char text[] = "LEAK written unseen\n";
    b.aio_lio_opcode = IOCB_CMD_PWRITE; b.aio_fildes = 1; b.aio_buf = (unsigned long)text; b.aio_nbytes = sizeof text - 1;
    if (syscall(SYS_io_submit, c, 1, list) == 1) puts("LEAK io_submit");
    puts("3");
}
