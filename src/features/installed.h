/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the permission files that are installed declare. Directories are those of the property
 * ro.krafla.permissions, a colon list; else Android's: etc/permissions of system, system_ext,
 * product, vendor and odm. All *.xml of each are read, in the order of their names; of a feature
 * that several declare the highest version counts, and one that a file calls unavailable isn't
 * there, as on Android. A file that can't be read is told, and counts for nothing from the place on
 * where it goes wrong.
 */
#ifndef KR_FEATURES_INSTALLED_H
#define KR_FEATURES_INSTALLED_H

#include <stdbool.h>

#include "features/declaration.h"

/*
 * Sets `in_files` and `file_version` of the declarations. Whether any file is installed at all:
 * without, there is nothing that declares, or doesn't.
 */
bool kr_feature_read_installed(struct kr_feature_declaration declarations[KR_FEATURE_NAMES]);

#endif
