/* SPDX-License-Identifier: Apache-2.0 */
/* hwvulkan: the module, its device, and how functions are found (D-02, D-03, D-05). */
#ifndef KR_CHECK_MODULE_MODULE_H
#define KR_CHECK_MODULE_MODULE_H

#include "check/rig/check.h"

extern const struct check_table check_table_module;

extern const struct check_rows check_module_face;
extern const struct check_rows check_module_opening;
extern const struct check_rows check_module_functions;
extern const struct check_rows check_module_extensions;
extern const struct check_rows check_module_handles;
extern const struct check_rows check_module_instances;

#endif
