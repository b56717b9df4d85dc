# SPDX-License-Identifier: Apache-2.0
"""What is installed is complete and can be used: files, headers, pkg-config files, the link stub.

test_install.py PREFIX TAP-FOLDER EXAMPLES COMPILER...
"""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

PREFIX, TAP, EXAMPLES, COMPILER = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
sys.path.insert(0, TAP)

import tap

PROMISED = (
    "lib/libvulkan.so.1",
    "lib/libkrafla.so.0",
    "lib/libkrafla-composer.so.0",
    "lib/libEGL_krafla.so.0",
    "share/krafla/egl/10_krafla.json",
    "share/krafla/platform/1.txt",
    "lib/krafla/hw/vulkan.adapter.so",
    "lib/krafla/hw/vulkan.null.so",
    "lib/krafla/krafla-output-xcb.so",
    "lib/krafla/krafla-painter",
    "lib/krafla/krafla-probe",
    "lib/krafla/stub/libvulkan.so",
    "lib/cmake/VulkanLoader/VulkanLoaderConfig.cmake",
    "lib/cmake/VulkanLoader/VulkanLoaderConfigVersion.cmake",
    "lib/pkgconfig/krafla.pc",
    "lib/pkgconfig/krafla-composer.pc",
    "lib/pkgconfig/vulkan.pc",
    "bin/krafla",
    "bin/krafla-bench",
)

KRAFLA = """
#include <errno.h>
#include <krafla/native_handle.h>
#include <krafla/sync.h>

int
main(void)
{
	native_handle_t *handle = native_handle_create(0, 1);

	if (!handle || native_handle_delete(handle))
		return 1;
	return sync_wait(-1, 0) == -1 && errno == EINVAL ? 0 : 2;
}
"""

FEATURES = """
#include <krafla/features.h>

int
main(void)
{
	return krafla_has_system_feature("dynamicRendering", 0) == 1 ? 0 : 1;
}
"""

VULKAN = """
#include <vulkan/vulkan.h>

int
main(void)
{
	uint32_t version = 0;

	return vkEnumerateInstanceVersion(&version) || version < VK_API_VERSION_1_1;
}
"""

# What the viewer of examples/fence.c says.
VIEWER = """\
viewer: frame:0 (renderer) has signalled
viewer: its first pixel is ff0000ff
viewer: frame:1 (renderer) has signalled
viewer: its first pixel is ffff00ff
viewer: frame:2 (renderer) has failed: Input/output error
viewer: all frames (renderer, renderer, renderer) has failed: Input/output error
"""

# What a project of somebody else's has: by the loader's own files, or by those of CMake.
PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(test C)
find_package(@package@ REQUIRED)
message(STATUS "version: ${VulkanLoader_VERSION}")
add_executable(program program.c)
target_link_libraries(program @target@)
"""


def run(*command, **env):
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True)


class Installed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def flags(self, *questions):
        done = run("pkg-config", *questions, PKG_CONFIG_PATH=f"{PREFIX}/lib/pkgconfig")
        self.assertEqual(done.returncode, 0, done.stderr)
        return shlex.split(done.stdout)

    def build(self, package, text):
        """The program, linked with what the package says."""
        source, program = f"{self.folder}/program.c", f"{self.folder}/program"
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = run(*COMPILER, source, "-o", program, *self.flags("--cflags", "--libs", package))
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def build_example(self, name):
        """As the head of examples/NAME.c says."""
        with open(f"{EXAMPLES}/{name}.c", encoding="utf-8") as file:
            text = file.read()
        command = re.search(r"^ \*   cc (\S+) -o (\S+) \$\((pkg-config .*)\)(.*)$", text, re.MULTILINE)
        flags = self.flags(*command[3].split()[1:])
        done = run(*COMPILER, f"{EXAMPLES}/{command[1]}", "-o", f"{self.folder}/{command[2]}", *flags,
                   *command[4].split())
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"{self.folder}/{command[2]}"

    def configure(self, package, target, *arguments):
        """A project that finds us below the prefix."""
        if not shutil.which("cmake"):
            self.skipTest("no-cmake")
        project = PROJECT.replace("@package@", package).replace("@target@", target)
        for name, text in (("CMakeLists.txt", project), ("program.c", VULKAN)):
            with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        prefix = f"-DCMAKE_PREFIX_PATH={PREFIX}"
        return run("cmake", "-S", self.folder, "-B", f"{self.folder}/build", prefix, *arguments)

    def build_with_cmake(self, package, target, *arguments):
        done = self.configure(package, target, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        built = run("cmake", "--build", f"{self.folder}/build")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        return done.stdout, f"{self.folder}/build/program"

    def loader_version(self):
        """What the package says of itself."""
        with open(f"{PREFIX}/lib/cmake/VulkanLoader/VulkanLoaderConfigVersion.cmake", encoding="utf-8") as file:
            return re.search(r'PACKAGE_VERSION "([\d.]+)"', file.read()).group(1)

    def needed(self, program):
        return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program).stdout)

    def test_all_that_is_promised_is_there(self):
        missing = [name for name in PROMISED if not os.path.exists(f"{PREFIX}/{name}")]
        self.assertEqual(missing, [])

    def test_krafla_finds_the_allow_list_of_its_prefix(self):
        done = run(f"{PREFIX}/bin/krafla", "package", "--check", f"{PREFIX}/lib/krafla/krafla-output-xcb.so", "--json")
        self.assertTrue(os.path.samefile(json.loads(done.stdout)["list"], f"{PREFIX}/share/krafla/platform/1.txt"), done.stderr)

    def test_every_header_compiles_alone(self):
        headers = sorted(glob.glob(f"{PREFIX}/include/krafla/*.h"))
        self.assertGreaterEqual(len(headers), 7)
        cxx = [name for name in ("clang++", "g++") if shutil.which(name)]
        for header in headers:
            name = f"krafla/{os.path.basename(header)}"
            for compiler in ([*COMPILER, "-x", "c"], *([name, "-x", "c++"] for name in cxx)):
                source = f"{self.folder}/header"
                with open(source, "w", encoding="utf-8") as file:
                    file.write(f"#include <{name}>\n")
                done = run(*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", source,
                           *self.flags("--cflags", "krafla"))
                self.assertEqual(done.returncode, 0, f"{compiler}: {name}: {done.stderr}")

    def test_a_program_links_to_libkrafla(self):
        program = self.build("krafla", KRAFLA)
        self.assertIn("libkrafla.so.0", self.needed(program))
        self.assertEqual(run(program, LD_LIBRARY_PATH=f"{PREFIX}/lib").returncode, 0)

    def test_a_program_asks_for_features(self):
        """With libkrafla alone: it finds the loader beside itself."""
        program = self.build("krafla", FEATURES)
        self.assertNotIn("libvulkan.so.1", self.needed(program))
        done = run(program, LD_LIBRARY_PATH=f"{PREFIX}/lib",
                   VK_DRIVER_FILES=f"{PREFIX}/share/krafla/null_icd.json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_example_of_fences(self):
        program = self.build_example("fence")
        done = run(program, LD_LIBRARY_PATH=f"{PREFIX}/lib", LC_ALL="C")
        self.assertEqual((done.returncode, done.stdout), (0, VIEWER), done.stderr)
        self.assertIn("has reached job 3", done.stderr)
        # Every fence of the timeline in error: no frame is looked at.
        done = run(program, "timeline:error", LD_LIBRARY_PATH=f"{PREFIX}/lib", LC_ALL="C")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("has failed: Input/output error"), 4)
        self.assertNotIn("pixel", done.stdout)
        self.assertIn("3 fences misbehaved at timeline", done.stderr)
        with open("/dev/full", "wb") as full:
            env = {**os.environ, "LD_LIBRARY_PATH": f"{PREFIX}/lib"}
            done = subprocess.run([program], stdout=full, stderr=subprocess.DEVNULL, env=env)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(run(program, "x:y", LD_LIBRARY_PATH=f"{PREFIX}/lib").returncode, 1)
        self.assertEqual(run(program, "-h", LD_LIBRARY_PATH=f"{PREFIX}/lib").returncode, 2)

    def test_the_example_of_windows(self):
        program = self.build_example("window")
        done = run(f"{PREFIX}/bin/krafla", "run", "--display", "320x180", "--clock", "virtual", "--frames", "3",
                   "--capture", f"{self.folder}/%d.png", "--", program, "3", LD_LIBRARY_PATH=f"{PREFIX}/lib")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("window: 320x180, 3 buffers", done.stdout + done.stderr)
        self.assertIn("3 shown in 3 pictures", done.stdout + done.stderr)
        self.assertTrue(os.path.getsize(f"{self.folder}/3.png") > 1000)
        for wrong in ("-5", "0", "2x", ""):
            self.assertEqual(run(program, wrong, LD_LIBRARY_PATH=f"{PREFIX}/lib").returncode, 2)
        alone = run(program, LD_LIBRARY_PATH=f"{PREFIX}/lib", KRAFLA_DISPLAY="")
        self.assertEqual(alone.returncode, 1)
        self.assertIn("start this with krafla run", alone.stderr)
        nowhere = run(program, LD_LIBRARY_PATH=f"{PREFIX}/lib", KRAFLA_DISPLAY="/nowhere/display", LC_ALL="C")
        self.assertEqual(nowhere.stderr, "window: /nowhere/display: No such file or directory\n")

    def test_the_example_of_readers(self):
        """Another program's frames: those of examples/window.c, which the reader's socket paces."""
        program, window = self.build_example("reader"), self.build_example("window")
        env = {"LD_LIBRARY_PATH": f"{PREFIX}/lib", "LC_ALL": "C"}
        socket = f"{self.folder}/frames"
        for frames, shown in ((3, 3), (9, 4)):
            reader = subprocess.Popen([program, socket, str(frames)], env={**os.environ, **env},
                                      stdout=subprocess.PIPE, text=True)
            self.addCleanup(reader.stdout.close)
            # From here on it listens.
            self.assertEqual(reader.stdout.readline(), f"KRAFLA_DISPLAY={socket}\n")
            done = run(window, "4", **env, KRAFLA_DISPLAY=socket)
            said, _ = reader.communicate(timeout=60)
            self.assertEqual(reader.returncode, 0, done.stderr)
            lines = "".join(rf"frame {n}: 640x360, [0-9a-f]{{8}}\n" for n in range(1, shown + 1))
            self.assertRegex(said, f"^{lines}$")
            self.assertFalse(os.path.exists(socket))
        for wrong in ([], [socket], [socket, "0"], [socket, "2x"], [socket, ""], [socket, "1", "2"]):
            self.assertEqual(run(program, *wrong, **env).returncode, 2)
        nowhere = run(program, f"{self.folder}/none/frames", "1", **env)
        self.assertEqual(nowhere.returncode, 1)
        self.assertIn("none/frames: No such file or directory", nowhere.stderr)
        self.assertIn("Address already in use", run(program, window, "1", **env).stderr)

    def test_the_example_that_passes_pictures_on(self):
        """Those of examples/window.c reach the second reader as they were drawn."""
        relay, reader, window = map(self.build_example, ("relay", "reader", "window"))
        env = {"LD_LIBRARY_PATH": f"{PREFIX}/lib", "LC_ALL": "C"}
        first, second = f"{self.folder}/first", f"{self.folder}/second"
        said = []
        for passed in range(2):
            last = subprocess.Popen([reader, second, "20"], env={**os.environ, **env},
                                    stdout=subprocess.PIPE, text=True)
            self.addCleanup(last.stdout.close)
            self.assertEqual(last.stdout.readline(), f"KRAFLA_DISPLAY={second}\n")
            between = [subprocess.Popen([relay, first, second], env={**os.environ, **env},
                                        stdout=subprocess.PIPE, text=True)
                       for _ in range(passed)]
            for process in between:
                self.addCleanup(process.stdout.close)
                self.assertEqual(process.stdout.readline(), f"KRAFLA_DISPLAY={first}\n")
            done = run(window, "20", **env, KRAFLA_DISPLAY=first if between else second)
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append(last.communicate(timeout=60)[0])
            for process in between:
                self.assertEqual(process.communicate(timeout=60)[0], "20 pictures passed on\n")
                self.assertEqual(process.returncode, 0)
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0].count("\n"), 20)
        for wrong in ([], [first], [first, second, "more"]):
            self.assertEqual(run(relay, *wrong, **env).returncode, 2)
        nowhere = run(relay, first, f"{self.folder}/none", **env)
        self.assertEqual(nowhere.returncode, 1)
        self.assertEqual(nowhere.stderr, f"relay: {self.folder}/none: No such file or directory\n")

    def test_readers_recipes(self):
        """Those of docs/windows.md, as they stand there."""
        for program in ("relay", "reader", "window"):
            self.build_example(program)
        with open(f"{EXAMPLES}/../docs/windows.md", encoding="utf-8") as file:
            recipes = dict(re.findall(r"^```sh recipe=(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL))
        env = {**os.environ, "LD_LIBRARY_PATH": f"{PREFIX}/lib", "LC_ALL": "C",
               "PATH": f"{PREFIX}/bin:{os.environ['PATH']}"}
        self.assertEqual(set(recipes), {"reader", "relay", "pictures"})
        for name, said, count in (("reader", "frame 10: 640x360", 10), ("relay", "90 pictures passed on", 90),
                                  ("pictures", "frame 1: 1280x720", 90)):
            done = subprocess.run(["sh", "-c", recipes[name] + "\nended=$?; wait; exit $ended"], cwd=self.folder,
                                  env=env, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(said, done.stdout)
            self.assertGreaterEqual(done.stdout.count("\nframe "), count)
            for socket in ("first", "second", "frames", "pictures"):
                self.assertFalse(os.path.exists(f"{self.folder}/{socket}"))

    def test_the_example_of_the_composer(self):
        program, env = self.build_example("composer"), {"LD_LIBRARY_PATH": f"{PREFIX}/lib"}
        self.assertEqual(self.needed(program)[:2], ["libkrafla-composer.so.0", "libkrafla.so.0"])
        done = run(program, **env)
        pixels = "pixel 0, 90: 000000\npixel 160, 90: bf4040\npixel 319, 90: ffffff\n"
        self.assertEqual((done.returncode, done.stdout), (0, pixels), done.stderr)
        said = {run(program, f"random:{seed}", **env).stdout for seed in range(20)}
        self.assertIn(pixels, said)
        self.assertTrue(any("hands 2 layers back" in text for text in said), said)
        nobody = run(program, "nobody", **env, VK_LOADER_DEBUG="error")
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("there is no device 'nobody'", nobody.stderr)
        self.assertIn("the device: error -2", nobody.stderr)

    def test_a_program_links_to_the_stub_and_runs_with_the_loader(self):
        program = self.build("vulkan", VULKAN)
        self.assertIn("libvulkan.so.1", self.needed(program))
        self.assertEqual(run(program, LD_LIBRARY_PATH=f"{PREFIX}/lib").returncode, 0)

    def test_cmake_finds_the_loader(self):
        """find_package(VulkanLoader CONFIG), and the target of the usual loader."""
        said, program = self.build_with_cmake("VulkanLoader CONFIG", "Vulkan::Loader")
        self.assertIn("libvulkan.so.1", self.needed(program))
        self.assertIn(f"{PREFIX}/lib", run("readelf", "-d", program).stdout)
        self.assertEqual(run(program).returncode, 0)
        self.assertIn(f"version: {self.loader_version()}", said)
        self.assertGreaterEqual(tuple(map(int, self.loader_version().split("."))), (1, 4))

    def test_cmake_minds_versions(self):
        single = {"1.3.239": True, "1.4": True, "1.99": False, "2.0": False, "0.9": False}
        ranges = {"1.3...1.98": True, "1.0...2.0": True, "1.0...1.3": False, "1.98...1.99": False}
        ends = {f"1.0...<{self.loader_version()}": False, f"1.0...{self.loader_version()}": True}
        for wanted, found in {**single, **ranges, **ends}.items():
            done = self.configure(f"VulkanLoader {wanted} CONFIG", "Vulkan::Loader")
            self.assertEqual(done.returncode == 0, found, f"{wanted}: {done.stderr}")
            shutil.rmtree(f"{self.folder}/build")

    def test_cmakes_own_module_finds_the_loader(self):
        """find_package(Vulkan): FindVulkan.cmake, which looks for libvulkan.so and the system's
        headers."""
        _, program = self.build_with_cmake("Vulkan", "Vulkan::Vulkan")
        self.assertIn("libvulkan.so.1", self.needed(program))
        self.assertIn(f"{PREFIX}/lib", run("readelf", "-d", program).stdout)
        self.assertEqual(run(program).returncode, 0)

    def test_the_version_of_headers_is_the_systems(self):
        text = open("/usr/include/vulkan/vulkan_core.h", encoding="utf-8").read()
        patch = re.search(r"#define VK_HEADER_VERSION (\d+)", text).group(1)
        minor = re.search(r"HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(0, (\d+), (\d+),", text)
        self.assertEqual(self.flags("--modversion", "vulkan"), [f"{minor[1]}.{minor[2]}.{patch}"])


tap.main(sys.modules[__name__])
