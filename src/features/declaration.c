/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what is declared: see declaration.h. */
#include "features/declaration.h"

#include <string.h>

#include "features/rows.h"

static const char *const names[KR_FEATURE_NAMES] = {
	KR_FEATURE_NAME_LEVEL,
	KR_FEATURE_NAME_COMPUTE,
	KR_FEATURE_NAME_VERSION,
	KR_FEATURE_NAME_DEQP,
	"samplerYcbcrConversion",
	"storageBuffer8BitAccess",
	"dynamicRendering",
	"shaderTerminateInvocation",
	"pipelineCreationCacheControl",
};

void
kr_feature_declarations_init(struct kr_feature_declaration declarations[KR_FEATURE_NAMES])
{
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++)
		declarations[i] = (struct kr_feature_declaration){.name = names[i]};
}

bool
kr_feature_is_permission(const char *name)
{
	return !strncmp(name, "android.", strlen("android."));
}

struct kr_feature_declaration *
kr_feature_find(struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name)
{
	for (unsigned i = 0; i < KR_FEATURE_NAMES; i++) {
		if (!strcmp(declarations[i].name, name))
			return &declarations[i];
	}
	return NULL;
}

bool
kr_feature_has(struct kr_feature_declaration declarations[KR_FEATURE_NAMES], const char *name,
	uint32_t version)
{
	const struct kr_feature_declaration *declaration = kr_feature_find(declarations, name);

	return declaration && declaration->declared && declaration->version >= version;
}
