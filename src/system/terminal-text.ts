/** Text of other programs that is shown in a terminal or a log. */
import { redactSecrets } from "./redact-secrets.ts";

/** The text for a log, without secrets. Terminal codes go first, because colours can split a secret. */
export function toLogText(text: string): string {
  return redactSecrets(toTerminalText(text));
}

/**
 * The text without codes that a terminal would act on: escape sequences such as colours are removed, every other control
 * character and override of the text's direction becomes U+FFFD.
 */
export function toTerminalText(text: string): string {
  return text
    .replace(commandString, "")
    .replace(controlSequence, "")
    .replace(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]--[\t\n]]/gv, "\ufffd");
}

/** An operating system command, such as a window's title or a link: up to BEL or ESC and a backslash. */
const commandString = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** A control sequence (ECMA-48), such as a colour or a move of the cursor. */
const controlSequence = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
