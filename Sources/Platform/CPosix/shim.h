// Linux calls that the Glibc module doesn't list.
#include <sys/signalfd.h>

// In <stdio.h>, but only for _GNU_SOURCE.
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags);
#define CPOSIX_RENAME_NOREPLACE 1u

// In <poll.h>, but only for _GNU_SOURCE.
#define CPOSIX_POLLRDHUP 0x2000
