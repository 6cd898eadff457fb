/** Walks the boxes of MP4, QuickTime, HEIC and AVIF files: a length, a type, and data or further boxes. */
import { decodeLatin1, u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";

export type Box = { readonly type: string; readonly at: number; readonly end: number };

/** For all boxes of a file together. */
const MAX_BOXES = 2_000;

const MAX_BOX_BYTES = 64 * 1024;

export class BoxReader {
  readonly #body: Body;
  #boxes = 0;

  constructor(body: Body) {
    this.#body = body;
  }

  /** The boxes between two offsets. */
  async *list(start = 0, end = this.#body.sizeBytes): AsyncGenerator<Box> {
    for (let at = start; at + 8 <= end && this.#boxes < MAX_BOXES; ) {
      this.#boxes++;
      const header = await this.#body.read(at, at + 16);
      const shortLength = u32be(header, 0);
      const isLong = shortLength === 1;
      const length = isLong ? u32be(header, 8) * 2 ** 32 + u32be(header, 12) : shortLength;
      const boxEnd = shortLength === 0 ? end : at + length;
      const dataAt = at + (isLong ? 16 : 8);
      if (boxEnd < dataAt) return;
      yield { type: decodeLatin1(header, 4, 8), at: dataAt, end: Math.min(boxEnd, end) };
      at = boxEnd;
    }
  }

  /** The first box at a path of types below another. `skip` bytes come before the boxes of a type. */
  async find(
    parent: Pick<Box, "at" | "end">,
    path: readonly string[],
    skip: Readonly<Record<string, number>> = {},
  ): Promise<Box | undefined> {
    const [type, ...rest] = path;
    for await (const box of this.list(parent.at, parent.end)) {
      if (box.type !== type) continue;
      return rest.length === 0 ? box : this.find({ at: box.at + (skip[type] ?? 0), end: box.end }, rest, skip);
    }
    return undefined;
  }

  /** The first bytes of a box. */
  read({ at, end }: Box): Promise<Uint8Array> {
    return this.#body.read(at, Math.min(end, at + MAX_BOX_BYTES));
  }

  get whole(): Pick<Box, "at" | "end"> {
    return { at: 0, end: this.#body.sizeBytes };
  }
}
