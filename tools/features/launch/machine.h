/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch rule asks of the system beside its GPU: ABI and memory. */
#ifndef KR_TOOLS_FEATURES_LAUNCH_MACHINE_H
#define KR_TOOLS_FEATURES_LAUNCH_MACHINE_H

#include <stdbool.h>

#define KR_FLAGS_SEEN 384

/*
 * Whether programs of 64 bits run here: ro.product.cpu.abilist64 says so by naming an ABI; where
 * the property isn't set this very program and the kernel's machine do. `seen` gets what was found.
 */
bool kr_flags_has_64_bit(char seen[KR_FLAGS_SEEN]);
/*
 * Whether the system is a low-memory one: ro.config.low_ram says so; where it isn't set, a MemTotal
 * of 1 GiB or less (CDD 7.6.1) in the file `meminfo`. False when that can't be read.
 */
bool kr_flags_is_low_memory(const char *meminfo, char seen[KR_FLAGS_SEEN]);

#endif
