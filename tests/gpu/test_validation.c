/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's validation layer, with synchronisation, over Krafla's loader at both ends of an image
 * that goes to another process and back: it has nothing to say.
 */
#include "rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER   (KR_TEST_KEEPS_MEMORY | KR_TEST_KEEPS_FDS)
#define MANIFEST "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"

static int messages;
static VkDebugUtilsMessengerEXT messenger;

static VKAPI_ATTR VkBool32 VKAPI_CALL
hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user_data)
{
	printf("# %s: %.600s\n", data->pMessageIdName ? data->pMessageIdName : "", data->pMessage);
	messages++;
	return VK_FALSE;
}

static void
open_validated(struct rig *rig)
{
	static const char *const layers[] = {"VK_LAYER_KHRONOS_validation", NULL};
	static const char *const extensions[] = {"VK_EXT_debug_utils", NULL};
	const VkValidationFeatureEnableEXT enables[] = {
		VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
	VkDebugUtilsMessengerCreateInfoEXT listener =
		kr_vulkan_messenger_info(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
				VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
			hear, NULL);
	const VkValidationFeaturesEXT features = {
		.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
		.pNext = &listener,
		.enabledValidationFeatureCount = KR_ARRAY_LEN(enables),
		.pEnabledValidationFeatures = enables,
	};
	const struct kr_vulkan_instance_info info = {
		.api_version = VK_API_VERSION_1_1,
		.chain = &features,
		.layers = layers,
		.extensions = extensions,
	};
	void *library = dlopen(LIBVULKAN, RTLD_NOW | RTLD_LOCAL);

	if (access(MANIFEST, R_OK))
		kr_test_skip("no-validation-layer", MANIFEST);
	kr_test_ignore_leaks();
	setenv("VK_DRIVER_FILES", rig_lavapipe(), 1);
	setenv("VK_LAYER_PATH", MANIFEST, 1);
	assert_non_null(library);
	listener.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
		VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
	rig_open_with(
		rig, (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr"), &info);
	assert_int_equal(KR_VULKAN_CALL(&rig->vk, vkCreateDebugUtilsMessengerEXT)(
				 rig->vk.instance, &listener, NULL, &messenger),
		VK_SUCCESS);
}

static void
close_validated(struct rig *rig)
{
	KR_VULKAN_CALL(&rig->vk, vkDestroyDebugUtilsMessengerEXT)
	(rig->vk.instance, messenger, NULL);
	rig_close(rig);
}

/* What the layer said goes with the answer. */
static void
look(int socket)
{
	struct kr_gpu_memory memory;
	struct kr_gpu_image image;
	struct rig rig;
	int answer[2], fd;

	open_validated(&rig);
	for (uint32_t i = 0; rig_receive(socket, &memory, sizeof(memory), &fd); i++) {
		answer[0] = 0;
		if (kr_gpu_image_import(&rig.gpu, &memory, fd, &image, NULL) == VK_SUCCESS) {
			answer[0] = rig_shows(&rig, &image, i) && rig_shows(&rig, &image, i);
			rig_fill(&rig, &image, i + 100);
			kr_gpu_image_destroy(&rig.gpu, &image);
		}
		close(fd);
		answer[1] = messages;
		rig_send(socket, answer, sizeof(answer), -1);
	}
	_exit(0);
}

/* W-11: there and back, three times, and once more with layers. */
static void
both_ends_are_silent(void **state)
{
	int sockets[2], answer[2], fd, none, status;
	struct kr_gpu_memory wanted;
	struct kr_gpu_image image;
	struct rig rig;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(sockets[0]);
		look(sockets[1]);
	}
	close(sockets[1]);
	open_validated(&rig);
	for (uint32_t i = 0; i < 4; i++) {
		wanted = rig_wanted(60 + i, 40);
		wanted.array_layers = i == 3 ? 2 : 1;
		rig_export(&rig, &wanted, &image, &fd);
		rig_fill(&rig, &image, i);
		rig_send(sockets[0], &image.description, sizeof(image.description), fd);
		close(fd);
		assert_true(rig_receive(sockets[0], answer, sizeof(answer), &none));
		assert_int_equal(answer[0], 1);
		assert_int_equal(answer[1], 0);
		assert_true(rig_shows(&rig, &image, i + 100));
		kr_gpu_image_destroy(&rig.gpu, &image);
	}
	close(sockets[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close_validated(&rig);
	assert_int_equal(messages, 0);
}

/* Without this one the other proves nothing. */
static void
mistakes_are_heard(void **state)
{
	const struct kr_gpu_memory wanted = rig_wanted(60, 40);
	struct kr_gpu_image image;
	struct rig rig;
	int fd;

	open_validated(&rig);
	rig_export(&rig, &wanted, &image, &fd);
	image.description.layout = VK_IMAGE_LAYOUT_UNDEFINED; /* no image may become that */
	rig_fill(&rig, &image, 1);
	assert_true(messages > 0);
	kr_gpu_image_destroy(&rig.gpu, &image);
	close(fd);
	close_validated(&rig);
}

static const struct kr_test tests[] = {
	KR_TEST_SLOW(both_ends_are_silent, DRIVER, 100),
	KR_TEST_SLOW(mistakes_are_heard, DRIVER, 100),
};
KR_TEST_MAIN(tests)
