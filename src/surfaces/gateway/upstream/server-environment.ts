/** The environment of a wrapped server: what programs need to run, and the variables that the user named; `*` names all. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Where things are and how they are shown; nothing that could be a secret. */
const PASSED = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP)$/,
  /^(LC|XDG)_[A-Z_]+$/,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/,
  /^(APPDATA|LOCALAPPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMDATA|PROGRAMFILES)$/i,
  /^(SYSTEMDRIVE|SYSTEMROOT|USERNAME|USERPROFILE|WINDIR)$/i,
];

/** What a server gets: little of our own environment, the named variables of it, and values from the user's file. */
export function makeServerEnvironment(
  env: Environment,
  named: readonly string[] = [],
  values: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = new Set(named);
  const isPassed = (name: string) =>
    names.has(name) || (names.has("*") && !name.startsWith("SPILLWAY_")) || PASSED.some((each) => each.test(name));
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0]),
  );
  return { ...Object.fromEntries(passed), ...values };
}
