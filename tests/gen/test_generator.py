# SPDX-License-Identifier: Apache-2.0
"""
The generator itself: each form of a registry, and what it says about bad input. Prints TAP.
"""

import os
import re
import sys
import tempfile
import unittest

from support import HERE, REACH, generate, options, read

import emit_terminators
import names
import tap
from handle_reach import HandleReach, ReachError
from model import satisfied
from registry import Registry

SMALL = read(HERE, "small.xml")


class Forms(unittest.TestCase):
    """small.xml, as it is and with changes."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def load(self, text):
        path = os.path.join(self.folder.name, "small.xml")
        with open(path, "w") as file:
            file.write(text)
        return Registry(path)

    def test_small(self):
        registry = self.load(SMALL)
        twice = registry.commands["vkTwice"]
        self.assertEqual(twice.returns, "void")
        self.assertEqual(
            twice.declaration, "VkDevice device, const char *const *ppNames, const float four[4]"
        )
        self.assertEqual(twice.core_version, (1, 1))
        self.assertEqual(twice.level, "device")
        self.assertEqual(registry.commands["vkTwiceEXT"].declaration, twice.declaration)
        self.assertEqual(registry.commands["vkTwiceKHR"].extensions, ["VK_KHR_thing"])
        self.assertEqual(registry.enumerants["VK_STRUCTURE_TYPE_THING"], -1000002002)
        members = [member.text for member in registry.structs["VkThing"].members]
        self.assertEqual(members, ["VkStructureType sType", "float size"])
        self.assertEqual(registry.extensions["VK_KHR_thing"].spec_version, 4)
        self.assertEqual(registry.extensions["VK_EXT_other"].promoted_version, (1, 1))
        self.assertFalse(registry.extensions["VK_EXT_off"].generated)

    def test_enumerant_with_two_values(self):
        with self.assertRaisesRegex(Exception, "VK_STRUCTURE_TYPE_THING has two values"):
            self.load(SMALL.replace('offset="2" extnumber', 'offset="3" extnumber'))

    def test_alias_loops_and_dead_ends(self):
        with self.assertRaisesRegex(Exception, "alias of itself"):
            self.load(SMALL.replace('alias="vkTwice"', 'alias="vkTwiceEXT"'))
        with self.assertRaisesRegex(Exception, "vkTwiceEXT is an alias of .*, which isn't there"):
            self.load(SMALL.replace('alias="vkTwice"', 'alias="vkGone"'))

    def test_terminator_with_a_second_wrapped_handle(self):
        device = "<type>VkDevice</type> <name>device"
        text = SMALL.replace(device, "<type>VkPhysicalDevice</type> <name>a")
        names_param = "const <type>char</type>* const*      <name>ppNames"
        self.assertIn(names_param, text)
        registry = self.load(text.replace(names_param, "<type>VkPhysicalDevice</type> <name>b"))
        with self.assertRaisesRegex(emit_terminators.TerminatorError, "vkTwice takes a second"):
            emit_terminators.generated(registry)

    def reach(self, text, verdict):
        path = os.path.join(self.folder.name, "reach.txt")
        with open(path, "w") as file:
            file.write("command vkTwice handler\ncommand vkTwiceEXT handler\n")
            file.write(f"command vkTwiceKHR {verdict}\n")
        return HandleReach(self.load(text), path)

    def test_what_can_be_hidden(self):
        """A name that stays reachable, by another extension or in core, isn't hidden by one."""
        text = SMALL.replace("const <type>float</type>", "<type>VkSurfaceKHR</type>")
        self.assertEqual(self.reach(text, "hidden VK_KHR_thing").hidden, ["VK_KHR_thing"])
        twice = '<command name="vkTwiceKHR"/>'
        other = text.replace('<command name="vkTwiceEXT"/>', '<command name="vkTwiceEXT"/>' + twice)
        with self.assertRaisesRegex(ReachError, "also belongs to VK_EXT_other, which isn't hidden"):
            self.reach(other, "hidden VK_KHR_thing")
        core = text.replace('<command name="vkTwice"/>', '<command name="vkTwice"/>' + twice, 1)
        with self.assertRaisesRegex(ReachError, "vkTwiceKHR is core"):
            self.reach(core, "hidden VK_KHR_thing")

    def test_dependencies(self):
        def holds(text, *present):
            tokens = re.findall(r"[+,()]|[\w:]+", text)
            return satisfied(tokens, lambda name: name in present)

        self.assertTrue(holds(""))
        self.assertTrue(holds("A+B", "A", "B"))
        self.assertFalse(holds("A+B", "A"))
        self.assertTrue(holds("A,B", "B"))
        self.assertTrue(holds("(A,B)+C", "B", "C"))
        self.assertFalse(holds("(A,B)+C", "B"))
        self.assertFalse(holds("A,B+C", "A"))  # one precedence: (A or B) and C
        self.assertTrue(holds("A+(B,(C+D))", "A", "C", "D"))
        self.assertTrue(holds("A+VkFeatures::robust", "A"))

    def test_names_with_one_hash_are_told_apart(self):
        many = [f"vkName{i}" for i in range(4094)]
        slots = names.table(many)
        self.assertEqual(sorted(s & 4095 for s in slots if s), list(range(1, 4095)))
        with self.assertRaises(ValueError):
            names.table(many + ["vkOneMore"])


class BadInput(unittest.TestCase):
    """Something wrong gives one clear line with the file's name, exit 1, and no output."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, "out")

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def fails(self, registry, *texts, reach=REACH):
        result = generate("commands.h", registry, self.output, reach)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_broken_registry(self):
        whole = read(options.registry)
        missing = os.path.join(self.folder.name, "missing.xml")
        self.fails(missing, "missing.xml", "No such file")
        self.fails(self.folder.name, self.folder.name, "Is a directory")
        for name, text, message in (
            ("empty.xml", "", "not well-formed"),
            ("cut.xml", whole[: len(whole) // 2], "not well-formed"),
            ("garbage.xml", "\x7fELF not xml", "not well-formed"),
            ("other.xml", "<feed><title/></feed>", "root is <feed>"),
            ("nothing.xml", "<registry/>", "holds no commands"),
            ("feature.xml", whole.replace('number="1.2"', "", 1), "can be read"),
            ("number.xml", whole.replace('number="2"', 'number="two"', 1), "can be read"),
            ("noname.xml", whole.replace("<name>vkCmdDraw</name>", "", 1), "vkCmdDraw"),
        ):
            with self.subTest(name):
                self.fails(self.file(name, text), name, message)

    def test_reach_without_a_verdict(self):
        """W-02"""
        text = read(REACH)
        for line in (
            "command vkQueuePresentKHR handler",
            "command vkSetPrivateData handler",
            "struct VkPresentInfoKHR handler",
            "struct VkPhysicalDevicePresentBarrierFeaturesNV hidden VK_NV_present_barrier",
            "extension VK_EXT_display_control hidden nobody signals fences of a display's events",
        ):
            with self.subTest(line):
                self.assertIn(line + "\n", text)
                path = self.file("reach.txt", text.replace(line + "\n", "\n"))
                named = "\n  " + " ".join(line.split()[:2]) + "\n"
                self.fails(options.registry, "reach.txt", named, reach=path)

    def test_wrong_verdicts(self):
        text = read(REACH)
        wait = "command vkGetSwapchainCounterEXT hidden VK_EXT_display_control"
        command = "command vkGetSwapchainCounterEXT"
        for replacement, message in (
            (f"{command} hidden VK_EXT_display_contorl", "VK_EXT_display_contorl, which doesn't exist"),
            (f"{command} hidden VK_NV_present_barrier", "doesn't belong to VK_NV_present_barrier"),
            (f"{command} hidden", "hidden: by which extension?"),
            (f"{command} perhaps", "expected command|struct|extension"),
            (f"{command} safe", "for what reason?"),
            (f"{wait}\nextension VK_NEW_thing hidden", "for what reason?"),
            (command, "expected command|struct|extension"),
            (f"{wait}\n{wait}", "has a verdict already"),
            (
                f"{wait}\ncommand vkCmdDraw hidden VK_EXT_display_control",
                "vkCmdDraw doesn't belong",
            ),
            (
                f"{wait}\nextension VK_KHR_surface hidden so it is",
                "VK_KHR_surface is an instance extension",
            ),
        ):
            with self.subTest(replacement):
                path = self.file("reach.txt", text.replace(wait + "\n", replacement + "\n"))
                self.fails(options.registry, "reach.txt", message, reach=path)
        gone = os.path.join(self.folder.name, "gone.txt")
        self.fails(options.registry, "gone.txt", "No such file", reach=gone)

    def test_core_cant_be_hidden(self):
        line = "command vkGetPrivateData "
        text = read(REACH).replace(line + "handler", line + "hidden VK_EXT_private_data")
        path = self.file("reach.txt", text)
        self.fails(options.registry, "vkGetPrivateData", "VK_EXT_private_data", reach=path)

    def test_dependents_of_hidden_extensions(self):
        """VK_KHR_present_wait can't be had without VK_KHR_present_id."""
        line = "extension VK_KHR_present_id "
        text = read(REACH).replace(line + "handler", line + "hidden for this test")
        message = "VK_KHR_present_wait needs an extension that is hidden"
        self.fails(options.registry, message, reach=self.file("reach.txt", text))

    def test_names_of_a_newer_registry_do_no_harm(self):
        lines = "command vkWaitForPresent9KHR hidden VK_KHR_present_wait9\nstruct VkNew handler\n"
        reach = self.file("reach.txt", read(REACH) + lines)
        result = generate("handle_reach.c", options.registry, self.output, reach)
        self.assertEqual(result.stderr, "")
        self.assertIn('"VK_KHR_present_wait9"', read(self.output))
        self.assertNotIn('"VkNew"', read(self.output))

    def test_output_that_cant_be_written(self):
        nowhere = os.path.join(self.folder.name, "no", "where")
        result = generate("commands.h", options.registry, nowhere)
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("Traceback", result.stderr)
        self.assertIn("where", result.stderr)


if __name__ == "__main__":
    tap.main(sys.modules[__name__])
