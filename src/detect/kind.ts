/** The types of detection: the seven kinds, which evidence decided, and all signals. */

/** How much of a body the first look reads; more bytes would not change its result. */
export const FIRST_LOOK_BYTES = 65_536;

/** The seven ways to handle content; every detection names one. */
export const contentKinds = ["text", "html", "pdf", "office_doc", "image", "archive", "unknown_binary"] as const;
/** One of the seven kinds. */
export type ContentKind = (typeof contentKinds)[number];

/** Whether it is text or a web page. Every other kind is a document: shown as an excerpt, and without a source to read. */
export const isPage = (kind: ContentKind): boolean => kind === "text" || kind === "html";

/** Which evidence decided: the header, a signature, the extension, how the bytes read, or none of them. */
export type DecidedBy = "mime" | "magic" | "extension" | "content" | "fallback";

/** The first bytes of some content, and what header and name claim about it; claims may be wrong. */
export type Claims = {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly firstBytes: Uint8Array;
  readonly url?: string;
};

/** All signals, kept in the record to explain why content was treated as it was. */
export type Signals = {
  /** The media type that the header claims, or null where it says nothing usable. */
  readonly mime: string | null;
  /** The media type that the magic bytes prove. */
  readonly magic: string | null;
  /** The media type that the name's extension suggests. */
  readonly extension: string | null;
  /** The charset of the bytes as text, or why they are not text. */
  readonly content: string;
  /** Sentences about contradictions: "header said application/pdf, the bytes are HTML". */
  readonly notes: readonly string[];
  /** What the header, else the name, announced, where the content is something else. */
  readonly announced?: AnnouncedKind;
};

/** The kind that content was said to have. */
export type AnnouncedKind = {
  readonly kind: ContentKind;
  readonly mediaType: string;
  readonly by: "header" | "name";
};

/** The kind of some content, and the evidence for it. */
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

/** A whole body with random access, as the second look needs it. */
export type Body = {
  readonly sizeBytes: number;
  /** Bytes [start, end), fewer at the end of the body. */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Every byte once, from the start, in chunks. With `inPlace` each is valid only until the next one is asked for. */
  stream(options?: { readonly inPlace?: boolean }): AsyncIterable<Uint8Array>;
};
