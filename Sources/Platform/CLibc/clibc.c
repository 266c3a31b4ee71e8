#include "clibc.h"
