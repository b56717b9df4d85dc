/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output that shows nothing, for who says so. It wants no pictures, so that none is made for
 * it; those that it is shown all the same have arrived.
 */
#ifndef KR_COMPOSER_OUTPUT_HEADLESS_H
#define KR_COMPOSER_OUTPUT_HEADLESS_H

#include "composer/output/output.h"

/* NULL: no memory. */
struct kr_display_output *kr_headless_output_create(void);

#endif
