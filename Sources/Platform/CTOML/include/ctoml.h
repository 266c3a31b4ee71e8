// Reads TOML with toml++: a C++ library, behind functions that Swift can call.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes that live as long as the call they are handed to.
typedef struct {
    const char *bytes;
    size_t length;
} ctoml_text;

// Counted from 1; 0 is unknown.
typedef struct {
    uint32_t line;
    uint32_t column;
} ctoml_position;

typedef enum {
    CTOML_STRING,
    CTOML_INTEGER,
    CTOML_FLOAT,
    CTOML_BOOLEAN,
    CTOML_DATE_OR_TIME,
    CTOML_ARRAY,  // its elements follow, then CTOML_END
    CTOML_TABLE,  // its values follow, then CTOML_END
    CTOML_END,
} ctoml_kind;

// One value, met in a walk through the document.
typedef struct {
    ctoml_kind kind;
    ctoml_text key;           // empty for an element of an array
    ctoml_position position;  // of the key, or of an element without one
    ctoml_text string;
    int64_t integer;
    double number;
    bool boolean;
} ctoml_value;

typedef void (*ctoml_visitor)(void *context, const ctoml_value *value);
typedef void (*ctoml_complainer)(void *context, ctoml_text cause, ctoml_position position);

// Calls `visit` for everything inside the document's top table, or `complain` once for a document that isn't TOML.
void ctoml_parse(ctoml_text document, void *context, ctoml_visitor visit, ctoml_complainer complain);

#ifdef __cplusplus
}
#endif
