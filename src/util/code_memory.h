/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this process may write code and run it, as drivers do that compile at run time (M-04).
 * SELinux (execmem), prctl(PR_SET_MDWE) and systemd's MemoryDenyWriteExecute= forbid it; what they
 * have in common is what happens when it is tried, so it is tried: a page is made as LLVM and
 * SwiftShader make theirs, written to first and executable then, and is given back.
 *
 * Thread-safety: any thread.
 */
#ifndef KR_UTIL_CODE_MEMORY_H
#define KR_UTIL_CODE_MEMORY_H

#include <stdbool.h>

#define KR_CODE_MEMORY_WHY_SIZE 160

/*
 * True: it is forbidden, and `why` says by what, as a sentence's part ("PR_SET_MDWE forbids it to
 * this process"). False, `why` untouched: it isn't, or memory was too short to tell.
 */
bool kr_code_memory_forbidden(char why[KR_CODE_MEMORY_WHY_SIZE]);

#endif
