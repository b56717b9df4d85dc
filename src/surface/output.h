/* SPDX-License-Identifier: Apache-2.0 */
/* Output modules: krafla-output-*.so, loaded when the first surface needs one and kept. */
#ifndef KR_SURFACE_OUTPUT_H
#define KR_SURFACE_OUTPUT_H

#include "util/macros.h"
#include "surface/output_module.h"

/*
 * The module of that name ("xcb"), from KRAFLA_OUTPUT_PATH alone when that is set, else from the
 * folder `krafla` beside the library that holds this code. Stays loaded: windows outlive whoever
 * opened them. -ENOENT none, -EPROTO one of another version (logged, once each time).
 */
int kr_output_load(const char *name, const struct kr_output_module **module) KR_MUST_CHECK;

/* What modules may call in this copy of the platform. */
extern const struct kr_output_host kr_output_host;

#endif
