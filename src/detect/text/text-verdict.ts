/** The two answers to "are these bytes text". */

/** Text with the name of its charset (see `Detection`), or the reason why not. */
export type TextVerdict =
  | { readonly isText: true; readonly charset: string }
  | { readonly isText: false; readonly reason: string };

/** Text in this charset. */
export const asText = (charset: string): TextVerdict => ({ isText: true, charset });

/** No text, for this reason. */
export const asNotText = (reason: string): TextVerdict => ({ isText: false, reason });
