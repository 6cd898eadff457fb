/** Loads Node's SQLite without the warning that Node 22 prints about it; all other warnings pass. */
type Sqlite = typeof import("node:sqlite");

/** Opens databases. Imported from here and not from `node:sqlite`, whose import would print the warning. */
export const { DatabaseSync, backup }: Pick<Sqlite, "DatabaseSync"> & Partial<Pick<Sqlite, "backup">> =
  withoutSqliteWarning(() => process.getBuiltinModule("node:sqlite"));

/**
 * Runs `load` and drops the one warning that loading SQLite emits on versions of Node where it is experimental. Node
 * emits it while the module is loaded, so the filter is gone again before anything else runs.
 */
export function withoutSqliteWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply: (emit, self, warning: unknown[]) =>
      isSqliteWarning(warning) ? undefined : Reflect.apply(emit, self, warning),
  });
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isSqliteWarning([warning, type]: readonly unknown[]): boolean {
  return type === "ExperimentalWarning" && /^SQLite\b/.test(String(warning));
}
