/* SPDX-License-Identifier: Apache-2.0 */
/* The table of this folder. */
#include "check/module/module.h"

static const struct check_rows *const files[] = {
	&check_module_face,
	&check_module_opening,
	&check_module_functions,
	&check_module_extensions,
	&check_module_handles,
	&check_module_instances,
};

const struct check_table check_table_module = {"module", files, KR_ARRAY_LEN(files)};
