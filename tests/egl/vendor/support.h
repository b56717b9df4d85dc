/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up vendors for a case: their manifests, and their hands. */
#ifndef KR_TESTS_EGL_VENDOR_SUPPORT_H
#define KR_TESTS_EGL_VENDOR_SUPPORT_H

#include "hand.h"
#include "harness.h"

/* The library of hand 1 or 2. */
const char *hand_library(int number);
/* What it does; before it is loaded by Krafla, too. */
struct hand *hand_of(int number);
/* A manifest below the test's directory, and its path. */
const char *hand_manifest(const char *name, const char *library);
/* Of two paths, with ':' between; valid until the case ends. */
const char *hand_list(const char *first, const char *second);
/* KRAFLA_EGL_VENDORS, and nothing else that says where vendors are but that glvnd was told. */
void hand_choose(const char *manifests);

#endif
