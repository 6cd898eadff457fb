/** The verdict on whether bytes are text. */

/** Text with its charset (see `Detection`), or the reason why it is not text. */
export type TextVerdict =
  | { readonly isText: true; readonly charset: string }
  | { readonly isText: false; readonly reason: string };

/** The verdict for text in this charset. */
export const asText = (charset: string): TextVerdict => ({ isText: true, charset });

/** The verdict for bytes that are not text, for this reason. */
export const asNotText = (reason: string): TextVerdict => ({ isText: false, reason });
