# SPDX-License-Identifier: Apache-2.0
"""
What the generator makes of the installed and of the newest registry; that it compiles. Prints TAP.
"""

import os
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import HERE, REACH, ROOT, generate, options, read, run

import capabilities
import core_1_4
import emit_exports
import emit_struct_sizes
import emit_terminators
import emit_trampolines
import newer
import tap
from emit_capabilities import LIMITS
from fake_headers import Headers
from handle_reach import HandleReach
from model import names_of
from registry import Registry

WARNINGS = """
    -std=gnu17 -fsyntax-only -D_GNU_SOURCE -Wall -Wextra -Werror -Wmissing-prototypes -Wundef -Wvla
    -Wstrict-prototypes -Wshadow -Wpointer-arith -Wwrite-strings -Wno-missing-field-initializers
    -Wno-unused-parameter
""".split()
DEBIAN = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1"
HANDLES_H = """
#include "gen/tables.h"
struct kr_physical_device {
	VkPhysicalDevice handle;
	const struct kr_instance_table *driver;
};
static inline struct kr_physical_device *
kr_physical_device_from_handle(VkPhysicalDevice handle)
{
	return (struct kr_physical_device *)handle;
}
"""


class OneRegistry:
    """What holds for each registry; `path` is set by the classes below."""

    path = None

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(cls.path):
            raise unittest.SkipTest("no-registry-359")
        cls.registry = Registry(cls.path)
        cls.folder = tempfile.TemporaryDirectory()
        cls.run_result = generate("all", cls.path, cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_generates_everything(self):
        self.assertEqual(self.run_result.stderr, "")
        self.assertEqual(self.run_result.returncode, 0)

    def test_core_up_to_1_3_is_215_commands(self):
        core = [c for c in self.registry.commands.values() if c.core_version]
        old = [c for c in core if c.core_version < (1, 4)]
        self.assertEqual(len(old), 215)
        by_version = [sum(c.core_version == (1, minor) for c in old) for minor in range(4)]
        self.assertEqual(by_version, [137, 28, 13, 37])

    def test_core_of_1_4_is_19_commands_more(self):
        """L-05: libvulkan.so.1 says 1.4, whatever the registry knows."""
        core = [c for c in self.registry.commands.values() if c.core_version]
        newest = {c.name for c in core if c.core_version == (1, 4)}
        self.assertEqual(len(core), 234)
        self.assertEqual(len(newest), 19)
        some = {"vkMapMemory2", "vkCmdPushConstants2", "vkTransitionImageLayout"}
        self.assertLessEqual(some, newest)
        self.assertLessEqual(newest, set(emit_exports.exported(self.registry)))
        levels = {self.registry.commands[name].level for name in newest}
        self.assertEqual(levels, {"device"})

    def test_no_number_and_no_name_twice(self):
        for name, pattern in (
            ("commands.h", r"^\tKR_CMD_(\w+),$"),
            ("extensions.h", r"^\tKR_EXT_(\w+),$"),
            ("tables.h", r"^\tPFN_(\w+) \w+;$"),
            ("struct_sizes.c", r"^\t\{(\w+), sizeof"),
            ("exports.map", r"^\t\t(vk\w+);$"),
            ("stub.c", r"^void (vk\w+)\(void\);$"),
        ):
            found = re.findall(pattern, read(self.folder.name, name), re.M)
            self.assertGreater(len(found), 100, name)
            self.assertEqual(len(found), len(set(found)), name)

    def test_structures_are_sorted_by_type(self):
        values = [value for value, *_ in emit_struct_sizes.sizes(self.registry)]
        self.assertEqual(values, sorted(set(values)))

    def test_window_system_is_there(self):
        swapchain = self.registry.extensions["VK_KHR_swapchain"]
        self.assertTrue(swapchain.generated and swapchain.window_system)
        self.assertEqual(swapchain.spec_version, 70)
        self.assertIn("VK_KHR_swapchain", self.registry.commands["vkQueuePresentKHR"].extensions)
        # Depends on no surface in either registry.
        self.assertFalse(self.registry.extensions["VK_KHR_synchronization2"].window_system)

    def test_what_is_written_by_hand_is_so_under_each_name(self):
        """K-32, K-45: a command that the loader handles itself it handles under its aliases as
        well."""

        def specified(name):
            while self.registry.commands[name].alias in self.registry.commands:
                name = self.registry.commands[name].alias
            return name

        by_hand = re.compile(r"\bKR_(?:TERMINATOR(?:_OF|_TWICE)?\(|HOOK\(|HOOK_BY\(\w+, )(\w+)")
        names = set()
        for path in pathlib.Path(ROOT, "src/loader").rglob("*.c"):
            text = path.read_text()
            names |= {"vk" + name for name in by_hand.findall(text)}
            names |= {f"vk{name}KHR" for name in re.findall(r"\bKR_TERMINATOR_TWICE\((\w+)", text)}
        names &= set(self.registry.commands)
        self.assertGreater(len(names), 80)
        specifications = {specified(name) for name in names}
        for name in self.registry.commands:
            if specified(name) in specifications:
                self.assertIn(name, names)

    def test_only_what_the_headers_declare(self):
        for name in ("vkCreateWin32SurfaceKHR", "vkAcquireImageANDROID", "vkCreateMetalSurfaceEXT"):
            self.assertNotIn(name, self.registry.commands)
        for name in ("vkCreateXlibSurfaceKHR", "vkGetRandROutputDisplayEXT"):
            self.assertIn(name, self.registry.commands)

    def test_parameters_come_once(self):
        for command in self.registry.commands.values():
            seen = [param.name for param in command.params]
            self.assertEqual(len(seen), len(set(seen)), command.name)
        for struct in self.registry.structs.values():
            seen = [member.name for member in struct.members]
            self.assertEqual(len(seen), len(set(seen)), struct.name)

    def test_aliases_have_the_type_of_their_definition(self):
        commands = self.registry.commands
        aliases = [c for c in commands.values() if c.alias]
        self.assertGreater(len(aliases), 70)
        for alias in aliases:
            self.assertTrue(alias.returns and alias.params, alias.name)
        self.assertEqual(
            commands["vkQueueSubmit2KHR"].declaration, commands["vkQueueSubmit2"].declaration
        )
        self.assertEqual(commands["vkQueueSubmit2KHR"].core_version, None)

    def test_exports_match_the_stub_and_debian(self):
        exported = set(emit_exports.exported(self.registry))
        map_names = re.findall(r"^\t\t(vk\w+);$", read(self.folder.name, "exports.map"), re.M)
        stub_names = re.findall(r"^(vk\w+)\(void\)$", read(self.folder.name, "stub.c"), re.M)
        self.assertEqual(set(map_names), exported)
        self.assertEqual(set(stub_names), exported)
        if os.path.exists(DEBIAN):
            out = run("nm", "-D", "--defined-only", DEBIAN).stdout
            theirs = {line.split()[-1] for line in out.splitlines()}
            self.assertGreater(len(theirs), 200)
            self.assertEqual(theirs - exported, set())

    def test_no_terminator_takes_a_surface(self):
        generated = {command.name for command in emit_terminators.generated(self.registry)}
        self.assertIn("vkGetPhysicalDeviceProperties2", generated)
        self.assertIn("vkGetPhysicalDeviceDisplayPropertiesKHR", generated)
        left = {c.name for c in self.registry.sorted_commands("physical_device")} - generated
        self.assertEqual(
            left,
            {
                "vkCreateDevice",
                "vkEnumerateDeviceExtensionProperties",
                "vkEnumerateDeviceLayerProperties",
                "vkGetPhysicalDevicePresentRectanglesKHR",
                "vkGetPhysicalDeviceSurfaceCapabilities2EXT",
                "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
                "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
                "vkGetPhysicalDeviceSurfaceFormats2KHR",
                "vkGetPhysicalDeviceSurfaceFormatsKHR",
                "vkGetPhysicalDeviceSurfacePresentModesKHR",
                "vkGetPhysicalDeviceSurfaceSupportKHR",
            },
        )

    def test_handled_reach_is_as_reviewed(self):
        """Rule 2 of the design. A new name here needs code in src/ that handles it."""
        expected = read(HERE, "handled_reach.expected").split()
        reach = HandleReach(self.registry, REACH)
        known = set(self.registry.commands) | reach.generated
        self.assertEqual(reach.handled(), [name for name in expected if name in known])
        source = read(self.folder.name, "handle_reach.c")
        written = re.findall(r'^\t"([vV]k\w+)",$', source, re.M)
        self.assertEqual(written, reach.handled())
        for name in written:
            print(f"# handled: {name}")

    def test_rules_about_handles(self):
        """K-27: the name of the first parameter, and the command that the rule is written for."""
        text = read(self.folder.name, "commands.c")
        root = ElementTree.parse(self.path).getroot()
        newer.join(root)
        aliases = {e.get("name"): e.get("alias") for e in root.iterfind("commands/command[@alias]")}
        parameters = {
            e.findtext("proto/name"): e.findtext("param/name")
            for e in root.iterfind("commands/command")
            if e.find("proto") is not None and (e.get("api") or "vulkan") != "vulkansc"
        }
        parameters.update((c.name, c.params[0].name) for c in self.registry.later)
        found = re.findall(r'\{"(vk\w+)", "(\w*)", KR_CMD_(\w+), KR_LEVEL_(\w+)', text)
        self.assertEqual(len(found), len(self.registry.commands))
        for name, parameter, specified, level in found:
            while name in aliases:
                name = aliases[name]
            self.assertEqual("vk" + specified, name)
            self.assertEqual(parameter, "" if level == "GLOBAL" else parameters[name])

    def test_compiles(self):
        """Against headers made from the same registry; with the handles of the loader made up."""
        with tempfile.TemporaryDirectory() as folder:
            Headers(ElementTree.parse(self.path).getroot(), self.registry).write(folder)
            os.symlink(self.folder.name, os.path.join(folder, "gen"))
            os.makedirs(os.path.join(folder, "loader", "handles"))
            with open(os.path.join(folder, "loader", "handles", "handles.h"), "w") as file:
                file.write(HANDLES_H)
            sources = sorted(name for name in os.listdir(self.folder.name) if name.endswith(".c"))
            self.assertEqual(len(sources), 11)
            self._compile(folder, [os.path.join(folder, "gen", name) for name in sources])

    def _compile(self, folder, sources):
        includes = [f"-I{path}" for path in (folder, os.path.join(ROOT, "src"), ROOT)]
        for source in sources:
            result = run(*options.cc, *WARNINGS, *includes, source, check=False)
            self.assertEqual(result.stderr, "", source)
            self.assertEqual(result.returncode, 0, source)


class Installed(OneRegistry, unittest.TestCase):
    def test_sizes_of_all_structures_of_the_headers(self):
        """Each structure with an sType in the headers that are compiled with is in the table."""
        folder = os.path.join(options.headers or "/usr/include", "vulkan")
        files = ("core", "beta", "android", "xcb", "xlib", "wayland", "directfb")
        text = "".join(read(folder, f"vulkan_{name}.h") for name in files)
        text += read(os.path.join(ROOT, "src", "util"), "vulkan_newer.h")
        typed = r"^typedef struct (\w+) \{\s+VkStructureType\s+sType;"
        headers = set(re.findall(typed, text, re.M))
        headers -= {"VkBaseInStructure", "VkBaseOutStructure"}
        self.assertGreater(len(headers), 500)
        table = {name for _, _, name in emit_struct_sizes.sizes(self.registry)}
        self.assertEqual(headers - table, set())
        self.assertEqual(table - headers, set())

    def test_trampolines_are_short(self):
        """L-02, section 7: the handle's check, a load and a jump; no stack frame, no call.

        clang aligns the stack for the call that ends the process before it knows whether it comes
        to that, and widens narrow arguments once more: of what it makes only the kinds of
        instruction are checked. Lists come back through their entry point, since their counts are
        checked; nobody asks for them in a frame.
        """
        clang = "clang" in run(*options.cc, "--version").stdout
        allowed = r"^(test|cmp|j[a-z]+|mov|lea|shr|and" + ("|push|pop|add)" if clang else ")")
        if not run(*options.cc, "-dumpmachine").stdout.startswith("x86_64"):
            return  # the patterns below are that machine's
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "trampolines.o")
            self._compile_trampolines("-c", "-o", output)
            out = run("objdump", "-d", "--no-show-raw-insn", output).stdout
        functions = re.findall(r"^[0-9a-f]+ <((?:vk|kr_trampoline_)\w+)>:\n((?: .*\n)+)", out, re.M)
        self.assertGreater(len(functions), 500)
        of_device = {c.name for c in self.registry.sorted_commands("device")}
        # What doesn't fit the six registers gcc copies on the stack, where it already is.
        on_stack = {c.name for c in self.registry.sorted_commands() if len(c.params) > 6}
        lists = {
            c.name
            for c in self.registry.sorted_commands("instance", "physical_device")
            if emit_trampolines.enumeration(c)
        }
        self.assertIn("vkEnumeratePhysicalDevices", lists)
        for name, body in functions:
            code = [line.split("\t")[1].strip() for line in body.splitlines() if "\t" in line]
            command = name.replace("kr_trampoline_", "vk")
            if command in on_stack or command in lists:
                continue
            way = code[: 1 + next(i for i, c in enumerate(code) if re.match(r"jmp +\*", c))]
            for instruction in way[:-1]:
                self.assertRegex(instruction, allowed, name)
            if not clang:
                self.assertLessEqual(len(way), 7 if command in of_device else 14, name)

    @staticmethod
    def _compile_trampolines(*arguments):
        folders = (options.build_root, os.path.join(ROOT, "src"), ROOT, options.headers)
        includes = [f"-I{path}" for path in folders if path]
        source = os.path.join(options.build_root, "gen", "trampolines.c")
        flags = ("-std=gnu17", "-fvisibility=hidden", "-fPIC", *options.trampoline_args)
        run(*options.cc, *flags, *includes, source, *arguments)

    def test_library_exports_its_names_and_binds_to_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "libvulkan.so.1")
            stand_ins = os.path.join(HERE, "stand_ins.c")
            self._compile_trampolines(stand_ins, "-shared", *options.link_args, "-o", output)
            exported = run("nm", "-D", "--defined-only", output).stdout
            relocations = run("readelf", "-rW", output).stdout
        found = {line.split()[-1] for line in exported.splitlines()}
        self.assertEqual(found, set(emit_exports.exported(self.registry)))
        self.assertIn("RELATIVE", relocations)
        self.assertNotRegex(relocations, r"\bvk\w+")

    def test_unchanged_files_are_left_alone(self):
        def times():
            return {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(self.folder.name)}

        before = times()
        self.assertEqual(generate("all", self.path, self.folder.name).returncode, 0)
        self.assertEqual(times(), before)

    def test_one_kind_is_the_same_file(self):
        output = os.path.join(self.folder.name, "single")
        for kind in ("tables.h", "handle_reach.c"):
            self.assertEqual(generate(kind, self.path, output).returncode, 0)
            self.assertEqual(read(output), read(self.folder.name, kind))
        os.unlink(output)


class Newest(OneRegistry, unittest.TestCase):
    def test_what_was_typed_for_older_registries_is_so(self):
        """L-05"""
        self.assertEqual(self.registry.later, [])
        typed = list(core_1_4.commands())
        newest = {c.name for c in self.registry.commands.values() if c.core_version == (1, 4)}
        self.assertEqual({command.name for command in typed}, newest)
        for command in typed:
            theirs = self.registry.commands[command.name]
            self.assertEqual(command.returns, theirs.returns, command.name)
            self.assertEqual(command.declaration, theirs.declaration, command.name)

    @staticmethod
    def _limit(member):
        words = member.limit.split(",")
        limit = next((LIMITS[word] for word in words if word in LIMITS), "EXACT")
        # One bit that has to be there is as much as at least 1.
        if limit == "BITS" and member.type == "VkBool32":
            limit = "MAX"
        return member.name, limit, "pot" in words, "mul" in words

    def test_what_was_typed_of_newer_capabilities_is_so(self):
        """What profiles may ask for, from newer_capabilities.txt."""
        mine, theirs = Registry(options.registry).capabilities, self.registry.capabilities
        lines = read(capabilities.PATH).splitlines()
        typed = [line.split()[1] for line in lines if line.startswith("struct ")]
        self.assertGreater(len(typed), 200)
        for name in typed:
            one, other = mine.find(name), theirs.find(name)
            self.assertEqual(mine.offsets(one), theirs.offsets(other), name)
            self.assertEqual((one.role, one.stype), (other.role, other.stype), name)
            self.assertEqual((one.core, one.extensions), (other.core, other.extensions), name)
            for a, b in zip(one.members, other.members, strict=True):
                self.assertEqual((a.name, a.type, a.limit), (b.name, b.type, b.limit), name)
                if a.name != "pNext":
                    self.assertEqual(a.counter or None, b.counter or None, name)
        for structure in theirs.structures.values():
            if not structure.role:
                continue
            self.assertIsNotNone(mine.find(structure.name), structure.name)
            for member, known in zip(structure.members, mine.find(structure.name).members):
                self.assertEqual(self._limit(member), self._limit(known), structure.name)
            for member in structure.members:
                known = mine.enums.get(theirs.bits_of(member.type) or member.type, {})
                wanted = theirs.enums.get(theirs.bits_of(member.type) or member.type, {})
                if member.name != "sType":
                    self.assertLessEqual(wanted.items(), known.items(), structure.name)
        self.assertLessEqual(theirs.enums["VkFormat"].items(), mine.enums["VkFormat"].items())
        self.assertLessEqual(theirs.extensions.items(), mine.extensions.items())

    def test_what_was_typed_of_newer_extensions_is_so(self):
        """W-01: extensions that the installed registry may lack, from newer.xml."""
        joined = Registry(options.registry)
        root = ElementTree.parse(newer.PATH).getroot()
        typed = [e.get("name") for e in root.iterfind("extensions/extension")]
        self.assertEqual(len(typed), 10)
        for name in typed:
            mine, theirs = joined.extensions[name], self.registry.extensions[name]
            self.assertEqual(mine.number, theirs.number, name)
            self.assertEqual(mine.instance, theirs.instance, name)
            self.assertEqual(mine.spec_version, theirs.spec_version, name)
            self.assertEqual(names_of(mine.requires), names_of(theirs.requires), name)
            self.assertEqual(mine.window_system, theirs.window_system, name)
            self.assertTrue(mine.generated, name)
            for table in ("commands", "structs"):
                held = [{n for n, thing in getattr(registry, table).items()
                         if name in thing.extensions} for registry in (joined, self.registry)]
                self.assertEqual(*held, name)
        for element in root.iterfind("types/type"):
            mine, theirs = (registry.struct(element.get("name")) for registry in
                            (joined, self.registry))
            self.assertEqual(mine.extends, theirs.extends, element.get("name"))
            for one, other in zip(mine.members, theirs.members, strict=True):
                self.assertEqual((one.name, one.pointer), (other.name, other.pointer))
        sizes = {value for value, *_ in emit_struct_sizes.sizes(joined)}
        theirs = {n: v for v, *names in emit_struct_sizes.sizes(self.registry) for n in names}
        for element in root.iterfind("types/type"):
            struct = self.registry.struct(element.get("name"))
            if struct.members[0].name == "sType":
                self.assertIn(theirs[struct.name], sizes, struct.name)

    def test_supported_is_a_list(self):
        generated = {extension.name for extension in self.registry.generated_extensions()}
        some = {"VK_KHR_swapchain", "VK_KHR_surface", "VK_EXT_headless_surface"}
        self.assertLessEqual(some, generated)
        self.assertNotIn("VK_KHR_object_refresh", generated)  # Vulkan SC only
        self.assertNotIn("vkGetFaultData", self.registry.commands)

    def test_definitions_of_other_apis_are_left_out(self):
        create = self.registry.structs["VkSwapchainCreateInfoKHR"]
        old = [member for member in create.members if member.name == "oldSwapchain"]
        self.assertEqual(len(old), 1)
        self.assertEqual(len(self.registry.commands["vkCreateDevice"].params), 4)

    def test_alias_of_an_extension(self):
        alias = self.registry.commands["vkReleaseSwapchainImagesEXT"]
        self.assertEqual(alias.alias, "vkReleaseSwapchainImagesKHR")
        self.assertEqual(alias.extensions, ["VK_EXT_swapchain_maintenance1"])
        self.assertIsNone(alias.core_version)

    def test_one_structure_for_an_alias(self):
        names_of_type = [
            name
            for _, enumerant, name in emit_struct_sizes.sizes(self.registry)
            if enumerant == "VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_KHR"
        ]
        self.assertEqual(names_of_type, ["VkReleaseSwapchainImagesInfoKHR"])

    def test_object_of_a_device_is_of_its_level(self):
        self.assertEqual(self.registry.commands["vkGetExternalComputeQueueDataNV"].level, "device")

    def test_promotion(self):
        maintenance5 = self.registry.extensions["VK_KHR_maintenance5"]
        self.assertEqual(maintenance5.promoted_version, (1, 4))

    def test_nothing_of_the_installed_one_is_lost(self):
        old = Registry(options.registry)
        self.assertEqual(set(old.commands) - set(self.registry.commands), set())
        for name, value in old.enumerants.items():
            if name in self.registry.enumerants:
                self.assertEqual(self.registry.enumerants[name], value)

    def test_verdicts_name_real_things(self):
        """The newest registry knows every name that a verdict is about: none is misspelt."""
        reach = HandleReach(self.registry, REACH)
        known = {"command": self.registry.commands, "struct": self.registry.structs}
        known["extension"] = self.registry.extensions
        for kind, name in reach.verdicts:
            self.assertIn(name, known[kind])
        for name in reach.hidden:
            self.assertIn(name, self.registry.extensions)


if __name__ == "__main__":
    Installed.path = options.registry
    Newest.path = options.newest
    tap.main(sys.modules[__name__])
