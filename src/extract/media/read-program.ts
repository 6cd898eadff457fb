/** Reads the headers of programs and libraries: for which machine and system they are. */
import { hasAt, u8, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { type FileFacts, joinFacts, listFacts, noFacts } from "./file-facts.ts";

/** The machines of ELF by number. */
const elfMachines: Readonly<Record<number, string>> = {
  2: "SPARC",
  3: "x86",
  8: "MIPS",
  20: "PowerPC",
  21: "PowerPC 64",
  22: "S390",
  40: "ARM",
  50: "IA-64",
  62: "x86-64",
  183: "ARM64",
  243: "RISC-V",
  247: "eBPF",
  258: "LoongArch",
};
const elfTypes = ["", "object file", "executable", "shared library or executable", "core dump"];

export async function readElf(_body: Body, start: Uint8Array): Promise<FileFacts> {
  const isLittle = u8(start, 5) === 1;
  const u16 = isLittle ? u16le : u16be;
  const bits = u8(start, 4) === 2 ? "64 bit" : "32 bit";
  const machine = elfMachines[u16(start, 18)] ?? `machine ${u16(start, 18)}`;
  return describe(
    "ELF",
    elfTypes[u16(start, 16)] ?? "",
    joinFacts(machine, bits, isLittle ? "little-endian" : "big-endian"),
  );
}

function describe(
  format: string,
  type: string,
  architecture: string,
  more: Readonly<Record<string, string | number | undefined>> = {},
): FileFacts {
  return {
    extent: architecture,
    facts: listFacts({ Format: format, Type: type, Architecture: architecture, ...more }),
    words: {},
  };
}

const peMachines: Readonly<Record<number, string>> = {
  332: "x86",
  448: "ARM",
  452: "ARM",
  512: "IA-64",
  34404: "x86-64",
  43620: "ARM64",
};
const subsystems: Readonly<Record<number, string>> = { 1: "driver", 2: "window", 3: "console", 10: "EFI" };
const IS_LIBRARY = 0x2000;

export async function readPortableExecutable(body: Body, start: Uint8Array): Promise<FileFacts> {
  const at = u32le(start, 60);
  const header = await body.read(at, at + 512);
  if (!hasAt(header, 0, "PE\0\0")) return describe("DOS executable", "executable", "x86, 16 bit");
  const machine = peMachines[u16le(header, 4)] ?? `machine ${u16le(header, 4)}`;
  const is64 = u16le(header, 24) === 0x20b;
  const type = (u16le(header, 22) & IS_LIBRARY) !== 0 ? "library" : "executable";
  const isManaged = u32le(header, 24 + (is64 ? 224 : 208)) !== 0;
  return describe(
    "Windows PE",
    joinFacts(type, subsystems[u16le(header, 92)] ?? ""),
    joinFacts(machine, is64 ? "64 bit" : "32 bit"),
    {
      Runtime: isManaged ? ".NET" : undefined,
    },
  );
}

const machMachines: Readonly<Record<number, string>> = {
  7: "x86",
  12: "ARM",
  18: "PowerPC",
  16777223: "x86-64",
  16777228: "ARM64",
  16777234: "PowerPC 64",
};
const machTypes: Readonly<Record<number, string>> = {
  1: "object file",
  2: "executable",
  4: "core dump",
  6: "library",
  8: "bundle",
  10: "symbols",
};
const FAT = 0xcafebabe;
const MAX_ARCHITECTURES = 10;

export async function readMachO(_body: Body, start: Uint8Array): Promise<FileFacts> {
  const nameMachine = (number: number): string => machMachines[number] ?? `machine ${number}`;
  if (u32be(start, 0) === FAT) {
    const count = Math.min(u32be(start, 4), MAX_ARCHITECTURES);
    const names = Array.from({ length: count }, (_, index) => nameMachine(u32be(start, 8 + index * 20)));
    return describe("Mach-O, universal", "", names.join(", "));
  }
  const u32 = [0xcefaedfe, 0xcffaedfe].includes(u32be(start, 0)) ? u32le : u32be;
  return describe("Mach-O", machTypes[u32(start, 12)] ?? "", nameMachine(u32(start, 4)));
}

const FIRST_JAVA = 44;

export async function readJavaClass(_body: Body, start: Uint8Array): Promise<FileFacts> {
  const major = u16be(start, 6);
  return major <= FIRST_JAVA ? noFacts : describe("Java class", "", `Java ${major - FIRST_JAVA}`);
}

const MAX_SECTIONS = 100;
const sectionNames: Readonly<Record<number, string>> = { 2: "Imports", 3: "Functions", 7: "Exports" };

/** The number of imports, functions and exports, from the start of each section. */
export async function readWasm(body: Body, start: Uint8Array): Promise<FileFacts> {
  const counts: Record<string, number> = {};
  let at = 8;
  for (let count = 0; at < body.sizeBytes && count < MAX_SECTIONS; count++) {
    const header = await body.read(at, at + 12);
    const size = readLeb(header, 1);
    const name = sectionNames[u8(header, 0)];
    if (name !== undefined) counts[name] = readLeb(header, 1 + size.length).value;
    at += 1 + size.length + size.value;
  }
  return describe("WebAssembly", "", `version ${u32le(start, 4)}`, counts);
}

/** Seven bits in each byte, the lowest first. */
function readLeb(bytes: Uint8Array, at: number): { value: number; length: number } {
  let value = 0;
  for (let length = 0; length < 5; length++) {
    const byte = u8(bytes, at + length);
    value += (byte & 0x7f) * 2 ** (7 * length);
    if (byte < 0x80) return { value, length: length + 1 };
  }
  return { value, length: 5 };
}
