/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `krafla features`. */
#ifndef KR_TOOLS_FEATURES_OPTIONS_H
#define KR_TOOLS_FEATURES_OPTIONS_H

#include <stdbool.h>

#include "tools/features/request.h"

extern const char kr_flags_help[];

/*
 * Reads them all, and the one word that is none. KR_EXIT_OK, or the exit code of a usage error that
 * was told. Sets *helped when it was help that was asked for, and given.
 */
int kr_flags_read_options(int argc, char **argv, struct kr_flags_request *request, bool *helped);

#endif
