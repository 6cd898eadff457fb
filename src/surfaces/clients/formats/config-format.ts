/** The contract of a format of config files: read a value, and change one place of the text so that the rest stays. */

/** One step into a config: the key of a map, or the item of a list whose `name` is this. */
export type PathStep = string | { readonly named: string };
export type ConfigPath = readonly PathStep[];

/** What a place is set to. */
export type ConfigValue = string | number | boolean | readonly ConfigValue[] | { readonly [key: string]: ConfigValue };

/** A place and what is put there; undefined removes what is there. */
export type ConfigChange = { readonly path: ConfigPath; readonly value: ConfigValue | undefined };

/**
 * One format. Its functions only splice text. The caller compares the parsed values before and after, so that a text whose
 * form they do not expect is refused and never damaged.
 */
export type ConfigFormat = {
  /** The value of a text. Throws a `ConfigSyntaxError` for a text that is not in this format. */
  parse(text: string): unknown;
  /**
   * The text after changes of different places. Maps above a new value are added where they are missing; at most one of the
   * changes may add to the same map. A list that gets or loses items at its front keeps the text of the others.
   */
  edit(text: string, changes: readonly ConfigChange[]): string;
};

/** A text that is not in the format of its file. */
export class ConfigSyntaxError extends Error {
  override readonly name = "ConfigSyntaxError";
  /** What is wrong and where, without a full stop: `a comma is missing in line 3, column 5`. */
  constructor(fault: string, options?: ErrorOptions) {
    super(fault, options);
  }
}

/** A text that is valid, but in a form that cannot be changed without writing it from scratch. */
export class ConfigFormError extends Error {
  override readonly name = "ConfigFormError";
}
