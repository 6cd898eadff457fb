/** The words detection speaks in: the seven kinds, who decided, and every signal that was seen. */

/** As much of a body as the first look reads: later bytes add nothing to what its beginning says. */
export const firstLookBytes = 65_536;

/** The seven ways content is handled; every detection names one of them. */
export const contentKinds = ["text", "html", "pdf", "office_doc", "image", "archive", "unknown_binary"] as const;
/** One of the seven. */
export type ContentKind = (typeof contentKinds)[number];

/** The evidence that an answer rests on: a header, a signature, a name, how the bytes read, or nothing at all. */
export type DecidedBy = "mime" | "magic" | "extension" | "content" | "fallback";

/** What is claimed about some bytes and the bytes themselves; only the bytes cannot lie. */
export type Claims = {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly firstBytes: Uint8Array;
  readonly url?: string;
};

/** All that was seen, kept in the record so that "why was this treated as binary" has an answer. */
export type Signals = {
  /** The media type the header claims, or null where it has no usable opinion. */
  readonly mime: string | null;
  /** The media type the magic bytes prove. */
  readonly magic: string | null;
  /** The media type the name's extension suggests. */
  readonly extension: string | null;
  /** What the bytes look like as text: a charset, or why they are not text. */
  readonly content: string;
  /** Plain sentences on disagreement: "header said application/pdf, the bytes are HTML". */
  readonly notes: readonly string[];
};

/** What some content is, and why we think so. */
export type Detection = {
  readonly kind: ContentKind;
  readonly mediaType: string;
  /**
   * The charset of text, html and image/svg+xml, null for every other kind: a WHATWG encoding label, or the name of one
   * the web platform does not know (utf-32le, utf-32be, ibm850, ibm855, ebcdic, johab, iso-2022-kr).
   */
  readonly charset: string | null;
  readonly decidedBy: DecidedBy;
  readonly signals: Signals;
};

/** A whole body that can be looked into anywhere, as the second phase needs it. */
export type Body = {
  readonly sizeBytes: number;
  /** Bytes [start, end), fewer at the end of the body. */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Every byte once, from the start, in chunks. */
  stream(): AsyncIterable<Uint8Array>;
};
