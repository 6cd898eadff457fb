/** Stores the segments of an extract as they arrive, after those that are stored already. */
import type { Objects } from "../artifacts/objects.ts";
import type { Failure, Info, PageNote, Segment } from "./handler.ts";
import { addPage, makeTextlessFailure } from "./page-tally.ts";
import {
  addSegment,
  appendFile,
  assembleExtract,
  type ExtractFile,
  type ExtractSize,
  type FileContent,
  type StoredExtract,
} from "./stored-extract.ts";

/** Text gathered before it is written: one file for a small document, few for a large one. */
const FILE_CHARS = 256 * 1024;
const FILE_SEGMENTS = 2_000;

export class ExtractWriter {
  readonly #objects: Objects;
  readonly #prefix: string;
  readonly #storedExtract: StoredExtract;
  #info: Info;
  #files: readonly ExtractFile[];
  #writtenSize: ExtractSize;
  #size: ExtractSize;
  #segments: Segment[] = [];
  /** What was written last, until the next segment arrives: a long text must not be held twice. */
  #content: FileContent | undefined;

  constructor(objects: Objects, prefix: string, storedExtract: StoredExtract) {
    [this.#objects, this.#prefix, this.#storedExtract] = [objects, prefix, storedExtract];
    const { info, files, size } = storedExtract;
    [this.#info, this.#files, this.#writtenSize, this.#size] = [info, files, size, size];
  }

  get info(): Info {
    return this.#info;
  }

  /** The size of the extract with everything added so far. */
  get size(): ExtractSize {
    return this.#size;
  }

  addInfo(info: Info): void {
    this.#info = { ...this.#info, ...info };
  }

  add(segment: Segment, note: PageNote | undefined): void {
    this.#content = undefined;
    this.#segments.push(segment);
    if (segment.kind !== "whole") this.#info = addPage(this.#info, segment, note);
    this.#size = addSegment(this.#size, segment);
  }

  /** Writes what has gathered if it is enough for a file. */
  async flushIfLarge(): Promise<void> {
    const gatheredChars = this.#size.chars - this.#writtenSize.chars;
    if (gatheredChars >= FILE_CHARS || this.#segments.length >= FILE_SEGMENTS) await this.#flush(null, false);
  }

  /** Writes what has gathered, and returns the extract, which can be continued. */
  async flush(): Promise<StoredExtract> {
    if (this.#segments.length > 0) await this.#flush(null, false);
    return this.#content === undefined
      ? this.#storedExtract
      : assembleExtract(this.#objects, this.#files, this.#content);
  }

  /** Writes what has gathered as the end of the extract. */
  async finish(failed: Failure | null): Promise<StoredExtract> {
    const { pageCount, tally } = this.#info;
    const hasNoText = pageCount !== undefined && (tally?.withText ?? 0) === 0;
    await this.#flush(failed ?? (hasNoText ? makeTextlessFailure(tally) : null), true);
    return this.flush();
  }

  async #flush(failed: Failure | null, last: boolean): Promise<void> {
    this.#content = { info: this.#info, segments: this.#segments, failed };
    const file = await appendFile(this.#objects, this.#prefix, this.#writtenSize, { ...this.#content, last });
    [this.#files, this.#writtenSize, this.#segments] = [[...this.#files, file], file.end, []];
  }
}
