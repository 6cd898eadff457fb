/** Writes docs/api.md: every exported name with its sentence and its declaration, grouped as src/index.ts groups them. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { API, type Checker, type Symbol as CompilerSymbol } from "typescript/unstable/sync";

const root = join(import.meta.dirname, "..");

const entries: readonly (readonly [name: string, file: string, about: string])[] = [
  ["spillway", "src/index.ts", ""],
  ["spillway/ai-sdk", "src/surfaces/ai-sdk/ai-sdk.ts", "For loops that are written with the AI SDK."],
  ["spillway/mcp", "src/surfaces/mcp/mcp.ts", "The MCP server, for servers with tools of your own."],
  ["spillway/testing", "src/testing.ts", "The contracts of extensions as test suites ([extending](extending.md))."],
];

const introduction = `# API

Made from the types of the source. [The library](library.md) explains how the parts work together; start with the first group.
Names that are not here are not part of the package.
`;

/** The page as Markdown. */
export async function renderApiPage(): Promise<string> {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProject: join(root, "tsconfig.json") }).getProjects();
    if (project === undefined) throw new Error("tsconfig.json names no project");
    const sections = entries.map(([name, file, about]) => {
      const source = project.program.getSourceFile(join(root, file));
      const module = source && project.checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${file} is not a module`);
      const names = [...project.checker.getExportsOfModule(module)].map((symbol) => describe(symbol, project.checker));
      return `## ${name}\n\n${about === "" ? "" : `${about}\n\n`}${renderGroups(file, names)}`;
    });
    return `${introduction}\n${sections.join("\n")}`;
  } finally {
    api.close();
  }
}

type Described = {
  readonly name: string;
  readonly about: string;
  readonly declaration: string;
  /** Where it is declared, below src/. */
  readonly file: string;
};

const ALIAS = 2_097_152;

function describe(symbol: CompilerSymbol, checker: Checker): Described {
  const target = symbol.flags & ALIAS ? checker.getAliasedSymbol(symbol) : symbol;
  const [handle] = target.declarations ?? [];
  const path = handle?.path ?? "";
  const about = target
    .getDocumentationComment(checker)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ");
  const text = readFileSync(path, "utf8");
  return { name: symbol.name, about, declaration: findDeclaration(text, target.name), file: relative(root, path) };
}

/** The declaration in the text of its file: a function without its body, a type as it is written, a value by its type. */
function findDeclaration(text: string, name: string): string {
  const start = new RegExp(
    `^export (?:declare )?(?:async )?(?:function\\*?|type|interface|const|class) ${name}\\b`,
    "m",
  ).exec(text);
  if (start === null) throw new Error(`${name} has no declaration.`);
  const rest = text.slice(start.index + "export ".length);
  if (/^(?:async )?function/.test(rest)) return rest.slice(0, endOfSignature(rest)).trim();
  if (rest.startsWith("const")) return describeValue(rest);
  if (rest.startsWith("class")) return `${rest.slice(0, rest.indexOf("{")).trim()} { ... }`;
  return rest.slice(0, endOfStatement(rest)).trim();
}

/** The type that a value declares, or its short form. */
function describeValue(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length < 100 && line.endsWith(";") ? line : `${line.replace(/\s*=.*$/, "")};`;
}

/** The body of a function begins with the first brace outside of all brackets that follows no colon or operator. */
function endOfSignature(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === "{" && depth === 0 && !/[:=|&<,]\s*$/.test(text.slice(0, index))) return index;
    if ("([{<".includes(character)) depth++;
    if (")]}".includes(character) || (character === ">" && text[index - 1] !== "=")) depth--;
  }
  return text.length;
}

/** A statement ends with the first semicolon outside of all brackets and comments. */
function endOfStatement(text: string): number {
  const masked = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"|`[^`]*`/g, (part) =>
    " ".repeat(part.length),
  );
  let depth = 0;
  for (let index = 0; index < masked.length; index++) {
    const character = masked[index] ?? "";
    if (character === ";" && depth === 0) return index + 1;
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character)) depth--;
  }
  return text.length;
}

/** Groups are the comments between the exports of a file; a file without them is one group. */
function renderGroups(file: string, names: readonly Described[]): string {
  const text = readFileSync(join(root, file), "utf8");
  const parts = text.split(/^\/\/ (.+)$/m);
  if (parts.length === 1) return names.map((each) => renderName(each, "###")).join("\n");
  const groups = parts.slice(1).flatMap((title, index) => (index % 2 === 0 ? [[title, parts[index + 2] ?? ""]] : []));
  return groups
    .map(([title = "", exports = ""]) => {
      const members = names.filter((each) => isExported(each, exports, file));
      return `### ${title}\n\n${members.map((each) => renderName(each, "####")).join("\n")}`;
    })
    .join("\n");
}

/** Whether a group names this export, or everything of the file that declares it. */
function isExported({ name, file }: Described, exports: string, indexFile: string): boolean {
  if (new RegExp(`[{,\\s]${name}[,\\s}]`).test(exports)) return true;
  const modules = [...exports.matchAll(/export \* from "(.+?)"/g)].map(([, path = ""]) => join(indexFile, "..", path));
  return modules.includes(file);
}

const renderName = ({ name, about, declaration }: Described, level: string): string =>
  `${level} \`${name}\`\n\n${about === "" ? "" : `${about}\n\n`}\`\`\`ts\n${declaration}\n\`\`\`\n`;
