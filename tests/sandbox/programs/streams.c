/* Output on every road to a stream; the test knows the counts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    struct iovec parts[2] = {{"ab", 2}, {"c", 1}};
    int copy = dup(1), again = open("/proc/self/fd/1", O_WRONLY | O_APPEND), null = open("/dev/null", O_RDWR);
    int file = open("scratch", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char buffer[8];

    write(copy, "12345", 5); /* stdout 5 */
    write(again, "678", 3);  /* stdout 3: the same file, opened anew */
    writev(1, parts, 2);     /* stdout 3 */
    dup2(copy, 7);
    write(7, "9", 1);              /* stdout 1 */
    write(2, "error", 5);          /* stderr 5 */
    write(null, "nothing", 7);     /* files 7: not stdin, although stdin is /dev/null */
    write(file, "0123456789", 10); /* files 10 */
    pwrite(file, "x", 1, 20);      /* files 1 */
    pread(file, buffer, 4, 0);     /* files 4 */
    lseek(file, 0, SEEK_SET);
    sendfile(1, file, 0, 10);        /* stdout 10, files 10 */
    read(0, buffer, sizeof(buffer)); /* stdin 0 */
    dup2(2, 1);
    write(1, "moved", 5); /* stderr 5: descriptor 1 is stderr now */
    close(1);
    write(1, "lost", 4); /* files 0: EBADF */
    return 0;
}
