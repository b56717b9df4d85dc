/* SPDX-License-Identifier: Apache-2.0 */
/* What lies below the last layer of an instance (layers/layers.h). */
#ifndef KR_LOADER_BOTTOM_H
#define KR_LOADER_BOTTOM_H

#include "layers/layers.h"

extern const struct kr_layer_bottom kr_bottom;

#endif
