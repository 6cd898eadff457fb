/** Words of a command line that a user pastes into a shell, or that a script of ours runs. */

/** One word for a POSIX shell, in quotes where it needs them. */
export function quoteShellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
