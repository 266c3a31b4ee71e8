/// The C library for Embedded Swift, which has no Glibc module: headers that it imports as they are, and functions for
/// the few things it can't import (variadic functions, errno, signal handlers, the arguments of main).
#pragma once

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/// How many arguments the program was started with, its own name included.
int clibc_argument_count(void);

/// The argument at `index`, 0 being the program's name. It lives as long as the process.
const char *clibc_argument(int index);

/// The calling thread's errno.
int clibc_errno(void);

/// openat(2) with its mode always given; O_CLOEXEC is added.
int clibc_openat(int directory, const char *path, int flags, mode_t mode);

/// Empties the signal mask and gives every signal its default disposition, but SIGPIPE and SIGXFSZ, which are ignored
/// so that writing fails with EPIPE and EFBIG instead.
void clibc_reset_signals(void);

/// Ends the process after so many seconds from now with _exit(`status`), whatever it is doing.
void clibc_end_after(unsigned seconds, int status);

/// Has `clibc_end_after` say this line on descriptor 2 first; null says nothing. The text must live on.
void clibc_set_last_words(const char *line);

/// Logs one line through syslog(3): facility mail, level error.
void clibc_syslog(const char *line);
