/** The two answers to "are these bytes text". */
export type TextVerdict =
  | {
      readonly isText: true;
      /** A WHATWG encoding label, or null where the platform cannot decode this text. */
      readonly charset: string | null;
      /** The charset's name for people, also where the platform has none. */
      readonly called: string;
    }
  | { readonly isText: false; readonly reason: string };

export const text = (charset: string | null, called = charset ?? "unknown"): TextVerdict => ({
  isText: true,
  charset,
  called,
});

export const notText = (reason: string): TextVerdict => ({ isText: false, reason });
