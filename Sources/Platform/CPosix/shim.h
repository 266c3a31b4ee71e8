// Linux calls that the Glibc module doesn't list.
#include <sys/signalfd.h>

// In <stdio.h>, but only for _GNU_SOURCE.
int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned int flags);
#define CPOSIX_RENAME_NOREPLACE 1u
