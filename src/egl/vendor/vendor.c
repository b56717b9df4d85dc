/* SPDX-License-Identifier: Apache-2.0 */
/* Loading vendors. */
#include "egl/vendor/vendor.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "egl/vendor/exports.h"
#include "egl/vendor/manifests.h"
#include "util/library.h"
#include "util/log.h"

static struct kr_egl_vendor vendors[KR_EGL_MAX_VENDORS];
static unsigned vendor_count;

/* Libraries whose __egl_Main isn't ours to call (again). */
#define MAX_TAKEN (2 * KR_EGL_MAX_MANIFESTS)
static void *taken[MAX_TAKEN];
static unsigned taken_count;

unsigned
kr_egl_vendors_count(void)
{
	return vendor_count;
}

struct kr_egl_vendor *
kr_egl_vendor_at(unsigned index)
{
	return &vendors[index];
}

void *
kr_egl_vendor_function(struct kr_egl_vendor *vendor, const char *name)
{
	return vendor->imports.getProcAddress(name);
}

static bool
is_complete(const __EGLapiImports *imports)
{
	return imports->getPlatformDisplay && imports->getSupportsAPI && imports->getProcAddress &&
		imports->getDispatchAddress && imports->setDispatchIndex;
}

/* Those of EGL 1.4, which glvnd demands; NULL: none is missing. */
static const char *
missing(const struct kr_egl_functions *egl)
{
#define NEEDED(name)                                                                               \
	{                                                                                          \
		"egl" #name, egl->name != NULL                                                     \
	}
	const struct {
		const char *name;
		bool there;
	} needed[] = {
		NEEDED(BindTexImage),
		NEEDED(ChooseConfig),
		NEEDED(CopyBuffers),
		NEEDED(CreateContext),
		NEEDED(CreatePbufferFromClientBuffer),
		NEEDED(CreatePbufferSurface),
		NEEDED(CreatePixmapSurface),
		NEEDED(CreateWindowSurface),
		NEEDED(DestroyContext),
		NEEDED(DestroySurface),
		NEEDED(GetConfigAttrib),
		NEEDED(GetConfigs),
		NEEDED(GetError),
		NEEDED(Initialize),
		NEEDED(MakeCurrent),
		NEEDED(QueryContext),
		NEEDED(QueryString),
		NEEDED(QuerySurface),
		NEEDED(ReleaseTexImage),
		NEEDED(ReleaseThread),
		NEEDED(SurfaceAttrib),
		NEEDED(SwapBuffers),
		NEEDED(SwapInterval),
		NEEDED(Terminate),
		NEEDED(WaitClient),
		NEEDED(WaitGL),
		NEEDED(WaitNative),
	};
#undef NEEDED

	for (size_t i = 0; i < KR_ARRAY_LEN(needed); i++) {
		if (!needed[i].there)
			return needed[i].name;
	}
	return NULL;
}

static void
fill(struct kr_egl_vendor *vendor)
{
	void *(*get)(const char *name) = vendor->imports.getProcAddress;

#define FUNCTION(name, upper) vendor->egl.name = (PFNEGL##upper##PROC)get("egl" #name);
	KR_EGL_FUNCTIONS(FUNCTION)
	KR_EGL_SYNC_FUNCTIONS(FUNCTION)
	KR_EGL_OLDER_FUNCTIONS(FUNCTION)
#undef FUNCTION
	vendor->gl_flush = (void (*)(void))get("glFlush");
	vendor->gl_finish = (void (*)(void))get("glFinish");
}

/* NULL, or why it is none. */
static const char *
start(struct kr_egl_vendor *vendor, void *library)
{
	__PFNEGLMAINPROC main = (__PFNEGLMAINPROC)dlsym(library, __EGL_MAIN_PROTO_NAME);

	if (!main)
		return "it is no vendor of glvnd's: it has no " __EGL_MAIN_PROTO_NAME;
	if (!main(EGL_VENDOR_ABI_VERSION, &kr_egl_exports, (__EGLvendorInfo *)(void *)vendor,
		    &vendor->imports))
		return "it doesn't start";
	if (!is_complete(&vendor->imports))
		return "it lacks what each vendor has to have";
	fill(vendor);
	return missing(&vendor->egl);
}

/* A vendor keeps one set of exports, whatever its manifests are called. */
static bool
is_taken(const void *library)
{
	for (unsigned i = 0; i < taken_count; i++) {
		if (taken[i] == library)
			return true;
	}
	return false;
}

/* Of a library that nobody has taken, which stays: it may keep our exports. False: no memory. */
static bool
add_vendor(const struct kr_egl_manifest *manifest, void *library)
{
	struct kr_egl_vendor *vendor = &vendors[vendor_count];
	char *path = strdup(manifest->path), *name = strdup(manifest->library);
	const char *reason;

	if (!path || !name) {
		free(path);
		free(name);
		return false;
	}
	taken[taken_count++] = library;
	memset(vendor, 0, sizeof(*vendor));
	vendor->index = vendor_count;
	vendor->manifest = path;
	vendor->library = name;
	reason = start(vendor, library);
	if (reason) {
		kr_warn("%s: %s is not used as a vendor of EGL: %s%s", path, name, reason,
			strncmp(reason, "egl", 3) ? "" : " is missing in it");
		free(path);
		free(name);
		return true;
	}
	vendor_count++;
	kr_info("%s: %s is a vendor of EGL", path, name);
	return true;
}

static void
load(const struct kr_egl_manifest *manifest)
{
	const char *reason;
	void *library;

	library = kr_library_load(manifest->library, RTLD_LAZY | RTLD_LOCAL, &reason);
	if (!library) {
		kr_warn("%s: the vendor of EGL can't be loaded: %s", manifest->path, reason);
		return;
	}
	if (is_taken(library)) {
		kr_info("%s: %s is a vendor of EGL already", manifest->path, manifest->library);
		dlclose(library);
		return;
	}
	if (!add_vendor(manifest, library)) {
		kr_error("%s: the vendor of EGL isn't used: out of memory", manifest->path);
		dlclose(library);
	}
}

/* glvnd loads these as well, before us or after: they stay. */
static void
take_glvnds(const struct kr_egl_manifests *manifests)
{
	for (size_t i = 0; i < manifests->count; i++) {
		const char *reason;
		void *library = kr_library_load(
			manifests->items[i].library, RTLD_LAZY | RTLD_LOCAL, &reason);

		if (library)
			taken[taken_count++] = library;
	}
}

bool
kr_egl_vendors_load(void)
{
	struct kr_egl_manifests glvnds, manifests;
	bool known;

	known = !kr_egl_manifests_of_glvnd(&glvnds);
	known = !kr_egl_manifests_find(&manifests) && known;
	if (known)
		take_glvnds(&glvnds);
	else
		kr_error("EGL: out of memory while vendors are looked for");
	for (size_t i = 0; known && i < manifests.count; i++) {
		if (vendor_count < KR_EGL_MAX_VENDORS)
			load(&manifests.items[i]);
		else
			kr_warn("%s: not used: there are %d vendors of EGL already",
				manifests.items[i].path, KR_EGL_MAX_VENDORS);
	}
	kr_egl_manifests_finish(&glvnds);
	kr_egl_manifests_finish(&manifests);
	if (known && !vendor_count)
		kr_warn("EGL: there is no vendor behind Krafla's");
	return vendor_count;
}
