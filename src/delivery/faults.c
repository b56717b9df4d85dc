/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about what a process lacks: see faults.h. */
#include "delivery/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Whose versions count one product up: what people call it by. */
static const struct product {
	const char *prefix; /* of the version */
	const char *name;
} products[] = {
	{"GLIBC_", "glibc"},
	{"GLIBCXX_", "libstdc++"},
};

static const struct product *
product_of(const char *version)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(products); i++) {
		if (!strncmp(version, products[i].prefix, strlen(products[i].prefix)))
			return &products[i];
	}
	return NULL;
}

/* How much of two versions is the same series: "FOO_" of "FOO_2.1". */
static size_t
series_len(const char *version)
{
	return strcspn(version, "0123456789");
}

static bool
is_same_series(const char *a, const char *b)
{
	return series_len(a) == series_len(b) && !strncmp(a, b, series_len(a));
}

void
kr_lacking_add(struct kr_lacking *lacking, const char *version)
{
	if (!lacking->version ||
		(is_same_series(version, lacking->version) &&
			strverscmp(version, lacking->version) > 0))
		lacking->version = version;
}

struct newest {
	const char *like;
	const char *version;
};

static int
keep_newest(void *data, const char *version)
{
	struct newest *newest = data;

	if (is_same_series(version, newest->like) &&
		(!newest->version || strverscmp(version, newest->version) > 0))
		newest->version = version;
	return 0;
}

static const char *
place_of(const struct kr_process_library *library)
{
	struct link_map *map;

	if (library->path)
		return library->path;
	if (library->handle && !dlinfo(library->handle, RTLD_DI_LINKMAP, &map) && *map->l_name)
		return map->l_name;
	return NULL;
}

/* "2.36, in /lib/libc.so.6" */
static char *
describe_had(const char *wanted, const struct kr_process_library *had)
{
	const struct product *product = product_of(wanted);
	struct newest newest = {.like = wanted};
	const char *place = place_of(had);

	kr_image_for_each_defined(&had->image, keep_newest, &newest);
	if (!newest.version)
		return kr_asprintf("has no %.*s of any number%s%s", (int)series_len(wanted), wanted,
			place ? ", in " : "", place ? place : "");
	return kr_asprintf("has %s%s%s", newest.version + (product ? strlen(product->prefix) : 0),
		place ? ", in " : "", place ? place : "");
}

/* Appends `piece`, which is freed, to the list `*text`. */
static void
append(struct kr_faults *faults, char **text, const char *separator, char *take_piece)
{
	char *all;

	if (!*text) {
		*text = take_piece;
		faults->no_memory |= !take_piece;
		return;
	}
	all = take_piece ? kr_asprintf("%s%s%s", *text, separator, take_piece) : NULL;
	faults->no_memory |= !all;
	free(take_piece);
	if (!all)
		return;
	free(*text);
	*text = all;
}

void
kr_faults_add_version(struct kr_faults *faults, const char *soname, const char *version,
	const struct kr_process_library *had)
{
	const struct product *product = product_of(version);
	char *there = describe_had(version, had), *piece = NULL;

	if (there && product)
		piece = kr_asprintf("%s %s (%s of %s; this process %s)", product->name,
			version + strlen(product->prefix), version, soname, there);
	else if (there)
		piece = kr_asprintf("%s of %s (this process %s)", version, soname, there);
	free(there);
	append(faults, &faults->versions, ", ", piece);
}

void
kr_faults_add_missing(struct kr_faults *faults, const char *soname)
{
	faults->missing_count++;
	append(faults, &faults->missing, ", ", strdup(soname));
}

static char *
sentence(const struct kr_faults *faults, const char *driver)
{
	const char *them = faults->missing_count == 1 ? "it" : "them";

	if (!faults->missing)
		return kr_asprintf(
			"the driver %s needs %s: use a newer runtime, or a driver that was built for this one",
			driver, faults->versions);
	if (!faults->versions)
		return kr_asprintf(
			"the driver %s needs %s, which this process doesn't have: add %s to its runtime",
			driver, faults->missing, them);
	return kr_asprintf(
		"the driver %s needs %s: use a newer runtime, or a driver that was built for this one; it also needs %s, which this process doesn't have: add %s to its runtime",
		driver, faults->versions, faults->missing, them);
}

int
kr_faults_finish(struct kr_faults *faults, const char *driver, char **reason)
{
	int ret = 0;

	if (faults->no_memory)
		ret = -ENOMEM;
	else if (faults->versions)
		ret = -ENOEXEC;
	else if (faults->missing)
		ret = -ENOENT;
	if (ret && ret != -ENOMEM)
		*reason = sentence(faults, driver);
	free(faults->versions);
	free(faults->missing);
	*faults = (struct kr_faults){0};
	return ret;
}
