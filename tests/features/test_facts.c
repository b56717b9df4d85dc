/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a device, by which function, and when: a driver of the test's own answers. */
#include "harness.h"

#include <string.h>

#include "features/facts.h"
#include "util/macros.h"

static uint32_t api_version;
static VkExtensionProperties extensions[4];
static uint32_t extension_count;
static const char *missing[4]; /* functions that aren't there */
static VkBool32 answer;        /* to every feature */
static unsigned chained_questions;
static VkResult extensions_result;

#define HANDLE ((VkPhysicalDevice)(uintptr_t)0x1234)

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties)
{
	assert_ptr_equal(device, HANDLE);
	memset(properties, 0x41, sizeof(*properties));
	properties->apiVersion = api_version;
}

static VKAPI_ATTR void VKAPI_CALL
get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures *features)
{
	memset(features, 0, sizeof(*features));
	features->imageCubeArray = VK_TRUE;
}

/* Each question has one structure, as the device knows it. */
static VKAPI_ATTR void VKAPI_CALL
get_features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *features)
{
	VkBaseOutStructure *out = features->pNext;

	assert_int_equal(features->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	assert_non_null(out);
	assert_null(out->pNext);
	chained_questions++;
	/* variablePointers is the second member of its structure. */
	if (out->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES) {
		((VkPhysicalDeviceVariablePointersFeatures *)out)->variablePointers = answer;
		return;
	}
	((VkBool32 *)(out + 1))[0] = answer;
}

static VKAPI_ATTR void VKAPI_CALL
get_semaphore(VkPhysicalDevice device, const VkPhysicalDeviceExternalSemaphoreInfo *info,
	VkExternalSemaphoreProperties *properties)
{
	assert_int_equal(info->handleType, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT);
	properties->externalSemaphoreFeatures = VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
}

static VKAPI_ATTR void VKAPI_CALL
get_fence(VkPhysicalDevice device, const VkPhysicalDeviceExternalFenceInfo *info,
	VkExternalFenceProperties *properties)
{
	assert_int_equal(info->handleType, VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT);
	properties->externalFenceFeatures = VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
	VkExtensionProperties *properties)
{
	if (extensions_result != VK_SUCCESS)
		return extensions_result;
	if (properties)
		memcpy(properties, extensions, extension_count * sizeof(*extensions));
	*count = extension_count;
	return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_proc_addr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} all[] = {
#define IS(name, fn) {name, (PFN_vkVoidFunction)fn}
		IS("vkGetPhysicalDeviceProperties", get_properties),
		IS("vkGetPhysicalDeviceFeatures", get_features),
		IS("vkEnumerateDeviceExtensionProperties", enumerate_extensions),
		IS("vkGetPhysicalDeviceFeatures2", get_features2),
		IS("vkGetPhysicalDeviceFeatures2KHR", get_features2),
		IS("vkGetPhysicalDeviceExternalSemaphoreProperties", get_semaphore),
		IS("vkGetPhysicalDeviceExternalSemaphorePropertiesKHR", get_semaphore),
		IS("vkGetPhysicalDeviceExternalFenceProperties", get_fence),
		IS("vkGetPhysicalDeviceExternalFencePropertiesKHR", get_fence),
	};

	for (size_t i = 0; i < KR_ARRAY_LEN(missing); i++) {
		if (missing[i] && !strcmp(name, missing[i]))
			return NULL;
	}
	for (size_t i = 0; i < KR_ARRAY_LEN(all); i++) {
		if (!strcmp(name, all[i].name))
			return all[i].function;
	}
	return NULL;
}

static struct kr_feature_facts facts;

static VkResult
ask(void)
{
	const struct kr_feature_source source = {get_proc_addr, VK_NULL_HANDLE, HANDLE};

	return kr_feature_ask(&source, &facts);
}

static void
expect_asked(enum kr_feature_member member, enum kr_feature_asked asked, bool value)
{
	assert_int_equal(facts.members[member].asked, asked);
	assert_int_equal(facts.members[member].value, value);
}

static void
offer(const char *name)
{
	strcpy(extensions[extension_count++].extensionName, name);
}

/* A name without an end is cut, and unset features are no. */
static void
device_of_1_3_is_asked_all(void **state)
{
	api_version = VK_API_VERSION_1_3;
	answer = VK_TRUE;
	/* Names of extensions aren't needed by then. */
	missing[0] = "vkGetPhysicalDeviceFeatures2KHR";
	missing[1] = "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR";
	missing[2] = "vkGetPhysicalDeviceExternalFencePropertiesKHR";
	assert_int_equal(ask(), VK_SUCCESS);
	assert_int_equal(strlen(facts.properties.deviceName), VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1);
	assert_true(facts.features.imageCubeArray);
	for (unsigned i = 0; i < KR_FEATURE_MEMBERS; i++)
		expect_asked((enum kr_feature_member)i, KR_FEATURE_ASKED, true);
	assert_int_equal(chained_questions, KR_FEATURE_MEMBERS);
	assert_true(facts.sync_fd_semaphore.asked && facts.sync_fd_fence.asked);
	assert_false(facts.sync_fd_semaphore.exports);
	assert_true(facts.sync_fd_semaphore.imports);
	assert_true(facts.sync_fd_fence.exports);
	assert_false(facts.sync_fd_fence.imports);
	kr_feature_facts_finish(&facts);
}

static void
no_is_an_answer(void **state)
{
	api_version = VK_API_VERSION_1_3;
	assert_int_equal(ask(), VK_SUCCESS);
	for (unsigned i = 0; i < KR_FEATURE_MEMBERS; i++)
		expect_asked((enum kr_feature_member)i, KR_FEATURE_ASKED, false);
	kr_feature_facts_finish(&facts);
}

/* Structures that a device doesn't know aren't put to it. */
static void
older_devices_are_asked_less(void **state)
{
	api_version = VK_API_VERSION_1_1;
	answer = VK_TRUE;
	assert_int_equal(ask(), VK_SUCCESS);
	assert_int_equal(chained_questions, 2);
	expect_asked(KR_FEATURE_VARIABLE_POINTERS, KR_FEATURE_ASKED, true);
	expect_asked(KR_FEATURE_SAMPLER_YCBCR_CONVERSION, KR_FEATURE_ASKED, true);
	expect_asked(KR_FEATURE_STORAGE_BUFFER_8BIT_ACCESS, KR_FEATURE_HAS_NO_SUCH, false);
	expect_asked(KR_FEATURE_DYNAMIC_RENDERING, KR_FEATURE_HAS_NO_SUCH, false);
	kr_feature_facts_finish(&facts);
	api_version = VK_API_VERSION_1_2;
	assert_int_equal(ask(), VK_SUCCESS);
	expect_asked(KR_FEATURE_STORAGE_BUFFER_8BIT_ACCESS, KR_FEATURE_ASKED, true);
	expect_asked(KR_FEATURE_SHADER_TERMINATE_INVOCATION, KR_FEATURE_HAS_NO_SUCH, false);
	expect_asked(KR_FEATURE_PIPELINE_CREATION_CACHE_CONTROL, KR_FEATURE_HAS_NO_SUCH, false);
	kr_feature_facts_finish(&facts);
}

static void
extensions_bring_features_earlier(void **state)
{
	api_version = VK_API_VERSION_1_0;
	answer = VK_TRUE;
	offer("VK_KHR_variable_pointers");
	offer("VK_KHR_dynamic_rendering");
	missing[0] = "vkGetPhysicalDeviceFeatures2";
	missing[1] = "vkGetPhysicalDeviceExternalSemaphoreProperties";
	assert_int_equal(ask(), VK_SUCCESS);
	assert_true(kr_feature_facts_have_extension(&facts, "VK_KHR_variable_pointers"));
	assert_false(kr_feature_facts_have_extension(&facts, "VK_KHR_variable"));
	expect_asked(KR_FEATURE_VARIABLE_POINTERS, KR_FEATURE_ASKED, true);
	expect_asked(KR_FEATURE_DYNAMIC_RENDERING, KR_FEATURE_ASKED, true);
	expect_asked(KR_FEATURE_SAMPLER_YCBCR_CONVERSION, KR_FEATURE_HAS_NO_SUCH, false);
	assert_true(facts.sync_fd_semaphore.asked);
	kr_feature_facts_finish(&facts);
}

static void
without_functions_nothing_is_taken_for_granted(void **state)
{
	api_version = VK_API_VERSION_1_0;
	answer = VK_TRUE;
	offer("VK_KHR_variable_pointers");
	missing[0] = "vkGetPhysicalDeviceFeatures2KHR";
	missing[1] = "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR";
	missing[2] = "vkGetPhysicalDeviceExternalFencePropertiesKHR";
	assert_int_equal(ask(), VK_SUCCESS);
	expect_asked(KR_FEATURE_VARIABLE_POINTERS, KR_FEATURE_HAS_NO_QUERY, false);
	expect_asked(KR_FEATURE_DYNAMIC_RENDERING, KR_FEATURE_HAS_NO_SUCH, false);
	assert_false(facts.sync_fd_semaphore.asked);
	assert_false(facts.sync_fd_fence.asked);
	kr_feature_facts_finish(&facts);
}

static void
errors_are_passed_on(void **state)
{
	api_version = VK_API_VERSION_1_3;
	extensions_result = VK_ERROR_OUT_OF_HOST_MEMORY;
	assert_int_equal(ask(), VK_ERROR_OUT_OF_HOST_MEMORY);
	extensions_result = VK_SUCCESS;
	missing[0] = "vkGetPhysicalDeviceFeatures";
	assert_int_equal(ask(), VK_ERROR_INITIALIZATION_FAILED);
}

static const struct kr_test tests[] = {
	KR_TEST(device_of_1_3_is_asked_all),
	KR_TEST(no_is_an_answer),
	KR_TEST(older_devices_are_asked_less),
	KR_TEST(extensions_bring_features_earlier),
	KR_TEST(without_functions_nothing_is_taken_for_granted),
	KR_TEST(errors_are_passed_on),
};
KR_TEST_MAIN(tests)
