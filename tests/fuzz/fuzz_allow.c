/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: allow lists of what packages may import. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/package/allow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_allow: %s\n", what);
	abort();
}

/* Every symbol of a good list is found, with a rule that says what a message needs. */
static void
look(const struct kr_allow_list *list)
{
	char *families = kr_allow_families(list);

	check(list->version && list->libraries.count, "a list that says nothing");
	for (size_t i = 0; i < list->symbols.count; i++) {
		const struct kr_allow_rule *rule =
			kr_allow_find(list, list->symbols.symbols[i].name);

		check(rule, "a symbol that isn't found");
		check(rule->kind == KR_ALLOW_PLAIN || (rule->word && rule->does && rule->instead),
			"a rule without words");
		check(rule->kind != KR_ALLOW_FAMILY || strstr(families, rule->word),
			"a family that isn't listed");
		check(!rule->until || rule->until >= list->version, "an end before the beginning");
	}
	for (size_t i = 0; i < list->libraries.count; i++)
		check(kr_allow_is_library(list, list->libraries.names[i]),
			"a library that isn't found");
	free(families);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kr_allow_list *list;
	char *reason;
	int ret = kr_allow_parse("list", (const char *)data, size, &list, &reason);

	check(!ret == !reason, "a reason that doesn't fit");
	check(!ret || (ret == -EINVAL && !strncmp(reason, "list", 4)), "a reason without a file");
	if (!ret) {
		look(list);
		kr_allow_destroy(list);
	}
	free(reason);
	return 0;
}
