/**
 * Remembers the definitions of a server's tools by their hashes. A description is read by the model as if the user had
 * written it, so a server that changes one later must not do so unnoticed.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFoldersSync } from "../../../system/folders.ts";
import { clip, safeFileName } from "../../../system/safe-names.ts";
import { isObject, type JsonObject, toObject, toText } from "../json-rpc.ts";

/** What is done with a tool whose definition has changed: it is reported, or left out until the user accepts it. */
export type ChangeRule = "show" | "hold";

export type ToolPins = {
  /** Compares definitions with the remembered ones. Returns the names of tools that are held back. */
  check(tools: readonly JsonObject[]): ReadonlySet<string>;
  isHeld(tool: string): boolean;
};

export type PinOptions = {
  /** The folder of the files; null remembers nothing beyond this process. */
  readonly folder: string | null;
  readonly server: string;
  /** The command or address: another server of the same name has pins of its own. */
  readonly source: string;
  readonly rule: ChangeRule;
  log(sentence: string): void;
};

type Pin = { readonly sha256: string; readonly description: string };

/** One server's file: what was accepted, and what waits to be. */
type PinFile = { readonly server: string; readonly tools: Record<string, Pin>; readonly held: Record<string, Pin> };

/** Characters of a description that are remembered, to show what has changed. */
const REMEMBERED_CHARS = 2_000;
const SHOWN_CHARS = 200;

/** The pins of one server. */
export function openToolPins({ folder, server, source, rule, log }: PinOptions): ToolPins {
  const path = folder === null ? null : join(folder, pinFileName(server, source));
  const file = (path === null ? undefined : readPinFile(path)) ?? { server, tools: {}, held: {} };

  function check(tools: readonly JsonObject[]): ReadonlySet<string> {
    const isFirst = Object.keys(file.tools).length === 0;
    let hasChanged = false;
    for (const tool of tools) {
      const [name, pin] = [toText(tool.name) ?? "", makePin(tool)];
      const known = Object.hasOwn(file.tools, name) ? file.tools[name] : undefined;
      if (known?.sha256 === pin.sha256) {
        hasChanged ||= Object.hasOwn(file.held, name);
        delete file.held[name];
        continue;
      }
      if (file.held[name]?.sha256 === pin.sha256 && rule === "hold") continue;
      hasChanged = true;
      if (!isFirst) log(describeChange(name, known, pin, rule));
      if (known !== undefined && rule === "hold") file.held[name] = pin;
      else file.tools[name] = pin;
    }
    if (hasChanged && path !== null) writePinFile(path, file, log);
    return new Set(Object.keys(file.held));
  }

  return { check, isHeld: (tool) => Object.hasOwn(file.held, tool) };
}

/** A change that waits for the user. */
export type HeldChange = {
  readonly server: string;
  readonly tool: string;
  readonly before: string;
  readonly after: string;
};

/** All changes that wait to be accepted. */
export function listHeldChanges(folder: string): readonly HeldChange[] {
  return listPinFiles(folder).flatMap(({ file }) =>
    Object.entries(file.held).map(([tool, { description: after }]) => ({
      ...{ server: file.server, tool, after },
      before: file.tools[tool]?.description ?? "",
    })),
  );
}

/** Accepts what a server has changed. Returns how many tools that were. */
export function acceptChanges(folder: string, server: string, log: (sentence: string) => void): number {
  const files = listPinFiles(folder).filter(({ file }) => file.server === server);
  for (const { path, file } of files)
    writePinFile(path, { ...file, tools: { ...file.tools, ...file.held }, held: {} }, log);
  return files.reduce((count, { file }) => count + Object.keys(file.held).length, 0);
}

function listPinFiles(folder: string): { readonly path: string; readonly file: PinFile }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const file = name.endsWith(".json") ? readPinFile(path) : undefined;
    return file === undefined ? [] : [{ path, file }];
  });
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const pinFileName = (server: string, source: string): string =>
  `${safeFileName(server)}-${hash(source).slice(0, 16)}.json`;

/** Everything of a definition that a model or a client acts on. */
function makePin(tool: JsonObject): Pin {
  const { title, description, inputSchema, annotations } = tool;
  const sha256 = hash(JSON.stringify([title, description, inputSchema, annotations]));
  return { sha256, description: (toText(description) ?? "").slice(0, REMEMBERED_CHARS) };
}

function describeChange(name: string, known: Pin | undefined, pin: Pin, rule: ChangeRule): string {
  if (known === undefined) return `there is a new tool, ${clip(name)}`;
  const isHeld = rule === "hold" ? "; it is held until you accept it (spillway gateway --changes)" : "";
  const change =
    known.description === pin.description
      ? "its schema is another"
      : `it was ${JSON.stringify(clip(known.description, SHOWN_CHARS))} and is now ${JSON.stringify(clip(pin.description, SHOWN_CHARS))}`;
  return `the definition of ${clip(name)} has changed: ${change}${isHeld}`;
}

function readPinFile(path: string): PinFile | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isObject(json)) return undefined;
    return { server: toText(json.server) ?? "", tools: readPins(json.tools), held: readPins(json.held) };
  } catch {
    return undefined; // Missing or damaged: the server is met as if for the first time.
  }
}

function readPins(value: unknown): Record<string, Pin> {
  const pins = Object.entries(toObject(value)).flatMap(([name, pin]) => {
    const { sha256, description } = toObject(pin);
    return typeof sha256 === "string" && typeof description === "string"
      ? [[name, { sha256, description }] as const]
      : [];
  });
  return Object.fromEntries(pins);
}

function writePinFile(path: string, file: PinFile, log: (sentence: string) => void): void {
  try {
    makeFoldersSync(join(path, ".."));
    const unfinished = `${path}.${randomUUID()}.tmp`;
    writeFileSync(unfinished, JSON.stringify(file), { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    log(
      `the definitions of its tools could not be remembered: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
