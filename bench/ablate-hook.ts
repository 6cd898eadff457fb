/**
 * Loads modules of `src/` with one rule switched off, or with all rules watched. A loader hook changes the source while
 * it is loaded, so the product needs no switches. Each variant is a module graph of its own in this process.
 */
import { registerHooks } from "node:module";

/** A rule that can be switched off: a top-level function or constant, and what takes its place. */
export type Rule = {
  /** Also the name of its fixture folder. */
  readonly name: string;
  /** The path of its module under `src/`. */
  readonly module: string;
  /** The function or constant in that module. */
  readonly target: string;
  /** Makes the neutral replacement. */
  readonly off: (original: never) => unknown;
  /** The target is a procedure: its results do not show whether it did anything. */
  readonly mutates?: true;
};

const sourceRoot = new URL("../src/", import.meta.url).href;
const WATCHED = "*";
const rulesByVariant = new Map<string, readonly Rule[]>();
const touchedRules = new Set<string>();
/** Watched targets that are constants: whether they decided anything is not known. */
const constantTargets = new Set<string>();

/** Loads a module of `src/` and all it imports with one rule switched off. */
export async function loadWithout<T>(rule: Rule, entry: string): Promise<T> {
  return loadVariant(entry, rule.name, [rule]);
}

/** Loads a module of `src/` so that `rulesTouchedBy` can tell which of these rules decided anything. */
export async function loadWatched<T>(rules: readonly Rule[], entry: string): Promise<T> {
  return loadVariant(entry, WATCHED, rules);
}

/** The names of the watched rules that decided anything during a call. Constants always count. */
export function rulesTouchedBy(call: () => void): ReadonlySet<string> {
  touchedRules.clear();
  call();
  const constants = watchedRules().filter(({ target }) => constantTargets.has(target));
  return new Set([...touchedRules, ...constants.map(({ name }) => name)]);
}

const watchedRules = (): readonly Rule[] => rulesByVariant.get(WATCHED) ?? [];

async function loadVariant<T>(entry: string, variant: string, rules: readonly Rule[]): Promise<T> {
  rulesByVariant.set(variant, rules);
  return import(`${sourceRoot}${entry}?rule=${encodeURIComponent(variant)}`);
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const variant = variantOf(context.parentURL);
    if (variant === null || !resolved.url.startsWith(sourceRoot)) return resolved;
    return { ...resolved, url: `${resolved.url}?rule=${encodeURIComponent(variant)}` };
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const variant = variantOf(url);
    const rules = rulesByVariant.get(variant ?? "")?.filter(({ module }) => url.startsWith(`${sourceRoot}${module}?`));
    if (variant === null || rules === undefined || rules.length === 0) return loaded;
    return { ...loaded, source: changeSource(String(loaded.source), variant, rules) };
  },
});

function variantOf(url: string | undefined): string | null {
  return url?.startsWith(sourceRoot) ? new URL(url).searchParams.get("rule") : null;
}

/** Replaces the targets of the rules of one module. */
function changeSource(source: string, variant: string, rules: readonly Rule[]): string {
  const imports = `import { callWatched, replaceTarget } from ${JSON.stringify(import.meta.url)};\n`;
  const targets = new Set(rules.map(({ target }) => target));
  const isWatched = variant === WATCHED;
  return imports + [...targets].reduce((text, target) => changeTarget(text, variant, target, isWatched), source);
}

function changeTarget(source: string, variant: string, target: string, isWatched: boolean): string {
  const names = `${JSON.stringify(variant)}, ${JSON.stringify(target)}`;
  const declaration = new RegExp(`^(export )?function ${target}(?=[<(])`, "m");
  const [whole, exported = ""] = declaration.exec(source) ?? [];
  if (whole === undefined && isWatched) constantTargets.add(target);
  if (whole === undefined) return isWatched ? source : changeConstant(source, target, names);
  const original = `${target}_original`;
  const body = isWatched
    ? `callWatched(${JSON.stringify(target)}, ${original}, args)`
    : `replaceTarget(${names}, ${original})(...args)`;
  return `${source.replace(declaration, `function ${original}`)}
${exported}function ${target}(...args) { return ${body}; }`;
}

/** A constant ends at the first semicolon before a line that is not indented: all sources are formatted. */
function changeConstant(source: string, target: string, names: string): string {
  const declaration = new RegExp(
    `^((?:export )?const ${target}\\b(?:[^=]|=>)*=\\s)([\\s\\S]*?);$(?=\\n\\S|\\n\\n|\\n$)`,
    "m",
  );
  if (!declaration.test(source)) throw new Error(`There is no function or constant ${target}.`);
  return source.replace(declaration, (_, start, value) => `${start}replaceTarget(${names}, ${value});`);
}

/** Called by changed sources: what takes the place of a target. */
export function replaceTarget(variant: string, target: string, original: unknown): unknown {
  const rule = rulesByVariant.get(variant)?.find((one) => one.target === target);
  return rule?.off(original as never);
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** Called by watched sources: the result of a target, noting the rules without which it would be another. */
export function callWatched(target: string, original: AnyFunction, args: readonly unknown[]): unknown {
  const result = original(...args);
  for (const rule of watchedRules()) {
    if (rule.target !== target || touchedRules.has(rule.name)) continue;
    const isSame = !rule.mutates && Object.is((rule.off(original as never) as AnyFunction)(...args), result);
    if (!isSame) touchedRules.add(rule.name);
  }
  return result;
}
