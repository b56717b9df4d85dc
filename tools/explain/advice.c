/* SPDX-License-Identifier: Apache-2.0 */
/* What to do about a driver or layer that isn't used. */
#include "tools/explain/entries.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/info/driver_places.h"
#include "util/env.h"
#include "util/text.h"

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* `fmt` has %s for the library's file name, the manifest and the packages. */
static char *
with_packages(const char *library_path, const char *manifest, const char *before, const char *after)
{
	char *packages = kr_info_library_packages(library_path);
	char *advice = packages ? kr_asprintf("%s%s%s%s%s", before, file_name(library_path),
					  packages, after, manifest)
				: NULL;

	free(packages);
	return advice;
}

static char *
advise_missing(const char *library_path, const char *manifest)
{
	return with_packages(library_path, manifest, "install the package that has ",
		"; or remove the manifest that it has left behind: ");
}

/* The library that the dynamic linker says it lacks, "" when it lacks none. */
static void
find_dependency(const char *sentence, const char *library_path, char *name, size_t size)
{
	static const char ending[] = ": cannot open shared object file";
	const char *end = strstr(sentence, ending), *begin = end;

	name[0] = '\0';
	if (!end)
		return;
	while (begin > sentence && begin[-1] != ' ')
		begin--;
	if ((size_t)(end - begin) >= size)
		return;
	memcpy(name, begin, (size_t)(end - begin));
	name[end - begin] = '\0';
	if (!strcmp(name, library_path))
		name[0] = '\0';
}

char *
kr_explain_library_advice(const char *library_path, const char *manifest, const char *sentence)
{
	char dependency[256];

	find_dependency(sentence, library_path, dependency, sizeof(dependency));
	if (dependency[0])
		return kr_asprintf("install the package that has %s, which %s needs", dependency,
			file_name(library_path));
	if (strstr(sentence, "GLIBC"))
		return kr_asprintf(
			"%s was made for a newer C library than this system has: install the one that this system's own packages have",
			file_name(library_path));
	if (strstr(sentence, "undefined symbol"))
		return kr_asprintf(
			"%s doesn't fit the libraries that it needs: update both, or install the package of %s again",
			file_name(library_path), manifest);
	if (strstr(sentence, "Permission denied") || strstr(sentence, "Operation not permitted"))
		return kr_asprintf("make %s readable for this user (and, if in a sandbox, allowed)",
			library_path);
	if (strstr(sentence, "No such file") || strstr(sentence, "cannot open shared object"))
		return advise_missing(library_path, manifest);
	return kr_asprintf("install the package of %s again", manifest);
}

static char *
advise_unreadable(const struct kr_driver_candidate *candidate)
{
	if (access(candidate->path, F_OK) && candidate->variable)
		return kr_asprintf("correct %s, which names this file", candidate->variable);
	return kr_asprintf("make %s readable for this user", candidate->path);
}

static char *
advise_filter(const struct kr_driver_candidate *candidate, bool selected)
{
	if (selected)
		return kr_asprintf("add %s to %s, or unset that", file_name(candidate->path),
			candidate->variable);
	return kr_asprintf(
		"unset %s, or make it spare %s", candidate->variable, file_name(candidate->path));
}

/* Whether programs are spared what happened to the probe. */
static char *
advise_quarantined(const struct kr_driver_candidate *candidate)
{
	const char *probe = kr_env_get("KRAFLA_PROBE");

	if (probe && strcmp(probe, "0"))
		return kr_asprintf(
			"update or remove the driver; a changed library is probed again. To have it opened regardless, unset KRAFLA_PROBE");
	return kr_asprintf(
		"programs that open it end the same way: update or remove the driver, set KRAFLA_PROBE=1 to have it passed over, or VK_LOADER_DRIVERS_DISABLE=%s",
		file_name(candidate->path));
}

static char *
advise_absent(const struct kr_driver_candidate *candidate)
{
	return kr_asprintf(
		"nothing, unless the device should be here: then see that its kernel driver is loaded and that this container or sandbox has its node. VK_DRIVER_FILES=%s or KRAFLA_ABSENT_HARDWARE=open opens it all the same",
		candidate->path);
}

static char *
advise_wrong_arch(const struct kr_driver_candidate *candidate)
{
	if (!candidate->library_path)
		return kr_asprintf("nothing, if there is a manifest for this word size too");
	return with_packages(candidate->library_path, candidate->path,
		"nothing, if there is a manifest for this kind of process too; else install the build of ",
		"; not used here: ");
}

char *
kr_explain_advice(const struct kr_driver_candidate *candidate)
{
	/* What the service says of a driver ends with what to do. */
	if (candidate->served && candidate->verdict != KR_CANDIDATE_DISABLED &&
		candidate->verdict != KR_CANDIDATE_NOT_SELECTED &&
		candidate->verdict != KR_CANDIDATE_PORTABILITY)
		return NULL;
	switch (candidate->verdict) {
	case KR_CANDIDATE_USED:
		return candidate->source == KR_DRIVER_STUB
			? kr_asprintf(
				  "install a HAL module, vulkan.<name>.so, and name it by the property ro.hardware.vulkan")
			: NULL;
	case KR_CANDIDATE_UNREADABLE:
		return advise_unreadable(candidate);
	case KR_CANDIDATE_BAD_MANIFEST:
		return kr_asprintf(
			"repair or remove %s, or install its package again", candidate->path);
	case KR_CANDIDATE_WRONG_ARCH:
		return advise_wrong_arch(candidate);
	case KR_CANDIDATE_DISABLED:
		return advise_filter(candidate, false);
	case KR_CANDIDATE_NOT_SELECTED:
		return advise_filter(candidate, true);
	case KR_CANDIDATE_PORTABILITY:
		return kr_asprintf(
			"the program must enable VK_KHR_portability_enumeration and set VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR");
	case KR_CANDIDATE_MISSING:
	case KR_CANDIDATE_UNLOADABLE:
		if (!candidate->library_path)
			return kr_asprintf("install that module, or correct the property");
		return kr_explain_library_advice(
			candidate->library_path, candidate->path, candidate->reason);
	case KR_CANDIDATE_DUPLICATE:
		if (candidate->variable && !strcmp(candidate->variable, KR_DISCOVER_BY_SERVICE))
			return kr_asprintf("nothing; KRAFLA_SERVICE=none has this one used");
		return kr_asprintf("nothing; %s could be removed", candidate->path);
	case KR_CANDIDATE_NO_DRIVER:
		return kr_asprintf(
			"see that %s names a Vulkan driver, or install its package again",
			candidate->path);
	case KR_CANDIDATE_HARDWARE_ABSENT:
		return advise_absent(candidate);
	case KR_CANDIDATE_CODE_FORBIDDEN:
		return kr_asprintf(
			"nothing, if that is meant so; else allow it: execmem of SELinux, MemoryDenyWriteExecute= of systemd");
	case KR_CANDIDATE_QUARANTINED:
		return advise_quarantined(candidate);
	}
	return NULL;
}
