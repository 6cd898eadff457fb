/**
 * Assembles the part of WebAssembly's text format that our modules use: one function, folded instructions, named
 * locals and labels. https://webassembly.github.io/spec/core/text and https://webassembly.github.io/spec/core/binary
 */

/** `(name argument ...)` as a list, everything else as it is written. */
type Expression = string | readonly Expression[];

/** The bytes of a module. Throws for whatever it does not know. */
export function assembleWat(source: string): Uint8Array {
  const [head, ...fields] = listOf(parse(source));
  if (head !== "module") throw new SyntaxError("A module begins with (module.");
  const memory = fieldOf(fields, "import");
  const [, ...parts] = fieldOf(fields, "func");
  const [params, locals] = [declarations(parts, "param"), declarations(parts, "local")];
  const instructions = parts.filter((part) => !["export", "param", "local"].includes(headOf(part)));
  const code = instructions.flatMap((each) =>
    assemble(
      each,
      [...params, ...locals].map(([name]) => name),
      [],
    ),
  );
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [0x60, ...vector(params.map(([, type]) => [type])), 0]),
    ...section(2, [...text(memory[1]), ...text(memory[2]), 0x02, 0x00, ...unsigned(numberOf(listOf(memory[3])[1]))]),
    ...section(3, [0]),
    ...section(7, [...text(fieldOf(parts, "export")[1]), 0x00, 0]),
    ...section(10, sized([...vector(runsOf(locals.map(([, type]) => type))), ...code, end])),
  ]);
}

const end = 0x0b;
const noResult = 0x40;
const valueTypes: Readonly<Record<string, number>> = { i32: 0x7f, v128: 0x7b };

/** Opcodes of instructions without immediates. Those that begin with 0xfd are of the vector extension. */
const plainOpcodes: Readonly<Record<string, readonly number[]>> = {
  "i32.eqz": [0x45],
  "i32.lt_u": [0x49],
  "i32.add": [0x6a],
  "i32.sub": [0x6b],
  "i16x8.extmul_low_i8x16_s": [0xfd, 0x9c, 0x01],
  "i16x8.extmul_high_i8x16_s": [0xfd, 0x9d, 0x01],
  "i32x4.extadd_pairwise_i16x8_s": [0xfd, 0x7e],
  "i32x4.add": [0xfd, 0xae, 0x01],
};

/** Loads and stores, followed by the power of two they are aligned to, and by an offset of 0. */
const memoryOpcodes: Readonly<Record<string, readonly number[]>> = {
  "i32.store": [0x36, 2, 0],
  "v128.load": [0xfd, 0x00, 4, 0],
};

const localOpcodes: Readonly<Record<string, number>> = { "local.get": 0x20, "local.set": 0x21, "local.tee": 0x22 };
const blockOpcodes: Readonly<Record<string, number>> = { block: 0x02, loop: 0x03 };

/** An instruction after its operands. `labels` are those of the blocks around it, the innermost first. */
function assemble(instruction: Expression, locals: readonly string[], labels: readonly string[]): number[] {
  const [head, ...rest] = listOf(instruction);
  const name = nameOf(head);
  const operands = (from: number): number[] => rest.slice(from).flatMap((each) => assemble(each, locals, labels));
  const block = blockOpcodes[name];
  if (block !== undefined) {
    const inside = [nameOf(rest[0]), ...labels];
    return [block, noResult, ...rest.slice(1).flatMap((each) => assemble(each, locals, inside)), end];
  }
  const local = localOpcodes[name];
  if (local !== undefined) return [...operands(1), local, indexIn(locals, rest[0])];
  if (name === "br_if") return [...operands(1), 0x0d, indexIn(labels, rest[0])];
  if (name === "i32.const") return [0x41, ...signed(numberOf(rest[0]))];
  if (name === "v128.const") return [0xfd, 0x0c, ...vectorConstant(rest)];
  if (name === "i32x4.extract_lane") return [...operands(1), 0xfd, 0x1b, numberOf(rest[0])];
  const opcode = plainOpcodes[name] ?? memoryOpcodes[name];
  if (opcode === undefined) throw new SyntaxError(`Unknown instruction: ${name}`);
  return [...operands(0), ...opcode];
}

function vectorConstant([shape, ...numbers]: readonly Expression[]): number[] {
  if (shape !== "i32x4" || numbers.length !== 4) throw new SyntaxError("A v128 constant is written as i32x4.");
  return [...new Uint8Array(Int32Array.from(numbers, numberOf).buffer)];
}

/** Sections hold one entry each here. */
const section = (id: number, entry: readonly number[]): number[] => [id, ...sized([1, ...entry])];
const sized = (content: readonly number[]): number[] => [...unsigned(content.length), ...content];
const text = (quoted: Expression | undefined): number[] => sized([...Buffer.from(nameOf(quoted).replaceAll('"', ""))]);

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

/** LEB128: seven bits a byte, the lowest first. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}

/** Name and type of each parameter or local. */
function declarations(parts: readonly Expression[], kind: string): (readonly [string, number])[] {
  return parts.flatMap((part) => {
    if (headOf(part) !== kind) return [];
    const [, name, type] = listOf(part);
    const code = valueTypes[nameOf(type)];
    if (code === undefined) throw new SyntaxError(`Unknown type: ${String(type)}`);
    return [[nameOf(name), code] as const];
  });
}

/** Neighbouring locals of one type are written as their count and the type. */
function runsOf(types: readonly number[]): number[][] {
  const runs: [count: number, type: number][] = [];
  for (const type of types) {
    const last = runs.at(-1);
    if (last?.[1] === type) last[0]++;
    else runs.push([1, type]);
  }
  return runs;
}

function fieldOf(fields: readonly Expression[], name: string): readonly Expression[] {
  const field = fields.find((each) => headOf(each) === name);
  if (field === undefined) throw new SyntaxError(`There is no (${name} ...).`);
  return listOf(field);
}

function indexIn(names: readonly string[], name: Expression | undefined): number {
  const index = names.indexOf(nameOf(name));
  if (index === -1) throw new SyntaxError(`Unknown name: ${String(name)}`);
  return index;
}

const headOf = (expression: Expression): string => nameOf(listOf(expression)[0]);

function listOf(expression: Expression | undefined): readonly Expression[] {
  if (expression === undefined || typeof expression === "string")
    throw new SyntaxError(`Not a list: ${String(expression)}`);
  return expression;
}

function nameOf(expression: Expression | undefined): string {
  if (typeof expression !== "string") throw new SyntaxError("A list where a name belongs.");
  return expression;
}

const numberOf = (expression: Expression | undefined): number => Number(nameOf(expression));

function parse(source: string): Expression {
  const tokens = source.replaceAll(/;;.*/g, "").match(/[()]|"[^"]*"|[^\s()]+/g) ?? [];
  let next = 0;
  function expression(): Expression {
    const token = tokens[next++];
    if (token === undefined) throw new SyntaxError("A parenthesis is not closed.");
    if (token !== "(") return token;
    const list: Expression[] = [];
    while (tokens[next] !== ")") list.push(expression());
    next++;
    return list;
  }
  return expression();
}
