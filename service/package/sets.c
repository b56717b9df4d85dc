/* SPDX-License-Identifier: Apache-2.0 */
/* The sets: see sets.h. */
#include "service/package/sets.h"

#include <stddef.h>
#include <string.h>

#include "util/macros.h"

/* With everything up to ".so": what is behind it is a version. */
static const char *const platform[] = {"ld-linux", "ld-linux-x86-64", "ld-linux-aarch64",
	"ld-linux-armhf", "ld-linux-riscv64-lp64d", "ld-linux-loongarch-lp64d", "ld64",
	"libBrokenLocale", "libanl", "libc", "libdl", "libm", "libmvec", "libnss_compat",
	"libnss_dns", "libnss_files", "libpthread", "libresolv", "librt", "libthread_db", "libutil",
	"linux-vdso"};

/* A name that ends in '*' stands for all that begin so. */
static const struct own {
	const char *library;
	const char *symbols[3]; /* what their names begin with */
} own[] = {
	{"libxcb*", {"xcb_", "_xcb_"}},
	{"libX11", {"X", "_X"}},
	{"libX11-xcb", {"X"}},
	{"libXext", {"X", "_X"}},
	{"libXfixes", {"X"}},
	{"libXrandr", {"XRR"}},
	{"libXrender", {"XRender"}},
	{"libXdamage", {"XDamage"}},
	{"libXi", {"XI", "X"}},
	{"libXxf86vm", {"XF86", "Xxf86"}},
	{"libXau", {"Xau"}},
	{"libXdmcp", {"Xdmcp"}},
	{"libwayland-client", {"wl_"}},
};

static bool
matches(const char *soname, const char *name)
{
	size_t len = strcspn(name, "*");

	if (strncmp(soname, name, len))
		return false;
	return name[len] ? strstr(soname, ".so") != NULL : !strncmp(soname + len, ".so", 3);
}

bool
kr_package_is_platform(const char *soname)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(platform); i++) {
		if (matches(soname, platform[i]))
			return true;
	}
	return false;
}

static const struct own *
find_own(const char *soname)
{
	for (size_t i = 0; i < KR_ARRAY_LEN(own); i++) {
		if (matches(soname, own[i].library))
			return &own[i];
	}
	return NULL;
}

bool
kr_package_is_applications(const char *soname)
{
	return find_own(soname);
}

bool
kr_package_own_defines(const char *soname, const char *symbol)
{
	const struct own *library = find_own(soname);

	for (size_t i = 0; library && i < 3 && library->symbols[i]; i++) {
		if (!strncmp(symbol, library->symbols[i], strlen(library->symbols[i])))
			return true;
	}
	return false;
}
