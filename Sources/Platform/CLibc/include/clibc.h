/// The C library for Embedded Swift, which has no Glibc module: headers that it imports as they are, and functions for
/// the few things it can't import (variadic functions, errno, signal handlers, the arguments of main).
#pragma once

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/// Makes harmless what survives execve(2), and ends the process after so many seconds from now, whatever it is doing.
///
/// Pending signals are discarded, all dispositions are the default and the mask is empty; but SIGPIPE, SIGXFSZ, SIGTTIN
/// and SIGTTOU are ignored, so that reading and writing fail instead of killing or stopping. Timers and the signal at a
/// parent's death are off, and the limits that would get in the way of one small file are as high as they may be.
/// At the end it says `line`, which must live on, by `clibc_say`, and calls _exit(`status`).
void clibc_settle(unsigned seconds, int status, const char *line);

/// Whether descriptor 2 is a regular file or a terminal: what a person will read, and nobody waits for the end of.
bool clibc_standard_error_is_log(void);

/// Tells a person one line, which ends in a newline: on descriptor 2 if `clibc_standard_error_is_log`, else, and where
/// that can't take it, in a datagram to the system's log (facility mail, level error).
///
/// It never waits for a reader, so a line may be lost. Async-signal-safe.
void clibc_say(const char *line);
