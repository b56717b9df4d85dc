/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels that are kept beyond the call that shows them. */
#include "composer/composer.h"

/* Every picture is drawn onto the canvas, which the next one changes: there is nothing to hold. */
bool
kr_picture_hold_take(struct kr_picture_hold *hold)
{
	(void)hold;
	return false;
}

void
kr_picture_hold_drop(struct kr_picture_hold *hold)
{
	(void)hold;
}
