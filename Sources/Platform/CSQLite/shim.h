#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift can't import. */
static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 length) {
    /* A null pointer would bind NULL instead of an empty text. */
    return sqlite3_bind_text64(statement, place, length ? text : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, place, length ? bytes : "", length, SQLITE_TRANSIENT);
}

/* The errno of the write-ahead log's last failure; sqlite3_system_errno doesn't know it where a commit failed. */
static inline int csqlite_log_errno(sqlite3 *database) {
    sqlite3_file *log = 0;
    int error = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
    return error;
}

/* sqlite3_db_config is variadic, which Swift can't call. */
static inline int csqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}
