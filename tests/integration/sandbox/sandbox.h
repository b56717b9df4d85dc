/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A root for sandboxes of bubblewrap: programs with their own libc and window-system
 * libraries, and no driver.
 */
#ifndef KR_TESTS_SANDBOX_H
#define KR_TESTS_SANDBOX_H

struct spawn;

/*
 * Copies each file with all that it links, and the window systems' client libraries, to the places
 * that they have here, below a directory of the case's own. Returns that directory. Ends the case
 * as skipped when there is no bwrap, or no namespaces for it.
 */
const char *sandbox_make(const char *const *files);
/* The same with all of glibc in place of the window systems. */
const char *sandbox_make_bare(const char *const *files);
/* Puts the libvulkan.so.1 of this krafla in the place of Debian's, wherever that is in it. */
void sandbox_swap_loader(void);
/*
 * That a vulkaninfo which has run in a sandbox ended well and showed Mesa's software
 * driver; finishes it.
 */
void expect_lavapipe(struct spawn *child);
/* Options of bwrap: that root, no namespace shared, nothing of the outside. No /proc. */
#define SANDBOX(root)                                                                              \
	"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", root, "/", "--dev", "/dev"

/*
 * What follows runs where no user namespace can be made, as an administrator may want
 * it. 99: can't be had here.
 */
#define WITHOUT_NAMESPACES                                                                         \
	"unshare", "-Ur", "sh", "-c",                                                              \
		"echo 0 >/proc/sys/user/max_user_namespaces || exit 99; exec \"$@\"", "sh"

#endif
