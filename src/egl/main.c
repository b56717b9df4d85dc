/* SPDX-License-Identifier: Apache-2.0 */
/* Where glvnd comes in. */
#include <glvnd/libeglabi.h>
#include <stdatomic.h>

#include "egl/calls/calls.h"
#include "egl/vendor/exports.h"
#include "egl/vendor/manifests.h"
#include "sync/fence/fork.h"
#include "util/log.h"
#include "util/macros.h"

/* A program may unload glvnd and load it again: we stay, and the vendors with us. */
enum life {
	LIFE_NONE,
	LIFE_BEGINS,
	LIFE_STANDS,
};

KR_EXPORT EGLBoolean
__egl_Main(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
	__EGLapiImports *imports)
{
	static _Atomic enum life life;
	enum life before = LIFE_NONE;

	if (EGL_VENDOR_ABI_GET_MAJOR_VERSION(version) != EGL_VENDOR_ABI_MAJOR_VERSION)
		return EGL_FALSE;
	/* Vendors take one __egl_Main: glvnd would have loaded them all before or after us. */
	if (!kr_egl_is_told_of_vendors()) {
		kr_warn("libEGL_krafla.so.0 stands before the other vendors of EGL, and glvnd has loaded them itself: name its manifest alone in __EGL_VENDOR_LIBRARY_FILENAMES");
		return EGL_FALSE;
	}
	/* A vendor's manifest that leads here again while vendors are loaded is refused. */
	if (!atomic_compare_exchange_strong(&life, &before, LIFE_BEGINS) && before != LIFE_STANDS)
		return EGL_FALSE;
	/* A child must not miss locks that its parent's threads had. */
	if (kr_sync_fork_init()) {
		atomic_store(&life, before);
		return EGL_FALSE;
	}
	kr_egl_outer_set(version, exports, vendor);
	if (before == LIFE_NONE && !kr_egl_vendors_load())
		return EGL_FALSE;
	atomic_store(&life, LIFE_STANDS);
	kr_egl_calls_fill(imports);
	return EGL_TRUE;
}
