/** What every handler promises, as tests. A new handler calls this suite with samples and runs them all. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SpillwayError } from "../errors.ts";
import type { ExtractItem, Handler, HandlerOptions, LocalFile, Segment } from "./handler.ts";

/** A file that a handler reads. */
export type Sample = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kind: LocalFile["kind"];
  readonly mediaType: string;
  readonly charset?: string;
};

/** One character that clean text never contains, defined a second time so that clean.ts does not judge itself. */
export const forbiddenCharacter =
  /[[\p{Cc}\p{Cs}\u{ad}\u{115f}\u{1160}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{feff}\u{ffa0}\u{fff0}-\u{fffb}\u{e0000}-\u{e002f}\u{e0080}-\u{e0fff}]--[\t\n]]/v;

/** Tests every promise of a handler on every sample. */
export function handlerContract(handler: Handler, samples: readonly Sample[]): void {
  describe(`the ${handler.name} handler`, () => {
    for (const sample of samples) {
      // Most promises are about one complete run, which they share.
      let wholeRun: Promise<readonly ExtractItem[]> | undefined;
      const promise = (
        sentence: string,
        check: (file: LocalFile, readAll: () => Promise<readonly ExtractItem[]>) => Promise<void>,
      ) =>
        test(`${sample.name}: ${sentence}`, async () => {
          await using sampleFile = await keep(sample);
          const { file } = sampleFile;
          const readAll = () => {
            wholeRun ??= run(handler, file);
            return wholeRun;
          };
          await check(file, readAll);
        });

      promise("says that it can handle it", async (file) => {
        assert.ok(handler.canHandle(file.kind, file.mediaType));
      });

      promise("yields segments in order, numbered from 0, of clean text", async (_, readAll) => {
        const segments = segmentsOf(await readAll());
        assert.deepEqual(indexesOf(segments), [...segments.keys()]);
        for (const { text } of segments) assert.doesNotMatch(text, forbiddenCharacter);
      });

      promise("puts every mark inside its segment, in order", async (_, readAll) => {
        for (const { text, marks } of segmentsOf(await readAll())) {
          const places = marks.map(({ at }) => at);
          assert.deepEqual(
            places,
            places.toSorted((one, other) => one - other),
          );
          assert.ok(places.every((offset) => offset >= 0 && offset <= text.length));
        }
      });

      promise("yields the same twice", async (file, readAll) => {
        assert.deepEqual(await readAll(), await run(handler, file));
      });

      promise("resumes at any segment with the very same segments", async (file, readAll) => {
        const allSegments = segmentsOf(await readAll());
        for (const from of resumePoints(allSegments.length)) {
          assert.deepEqual(segmentsOf(await run(handler, file, from)), allSegments.slice(from), `from ${from}`);
        }
      });

      promise("describes it by the fields it declares and by whole sentences", async (_, readAll) => {
        const items = await readAll();
        const info = Object.assign({}, ...items.map((item) => ("info" in item ? item.info : {})));
        const failed = items.flatMap((item) => ("failed" in item ? [item.failed] : []))[0] ?? null;
        const { fields = {}, warnings = [] } = handler.describe?.(info, failed) ?? {};
        for (const [name, value] of Object.entries(fields)) assert.equal(typeof value, handler.fields?.[name], name);
        for (const warning of warnings) assert.match(warning, /^\S.*\.$/);
      });

      promise("yields nothing after a failure", async (_, readAll) => {
        const items = await readAll();
        const failure = items.findIndex((item) => "failed" in item);
        assert.ok(failure === -1 || failure === items.length - 1);
      });

      promise("yields nothing when it is aborted before it starts", async (file) => {
        const reason = new Error("stop");
        const items = handler.extract(file, optionsFrom(), AbortSignal.abort(reason))[Symbol.asyncIterator]();
        await assert.rejects(items.next(), reason);
      });

      promise("stops with the abort's reason at once", async (file, readAll) => {
        const { length } = await readAll();
        const reason = new Error("stop");
        for (const itemCount of [1, 2, length - 1].filter((count) => count > 0 && count < length)) {
          assert.deepEqual(await runAndAbort(handler, file, itemCount, reason), {
            itemCount,
            thrown: reason,
          });
        }
      });
    }

    test("a file that is gone is an error that names it and says what to do", async () => {
      for (const sample of samples) {
        const { file } = await keepAndLose(sample);
        await assert.rejects(run(handler, file), (error) => {
          assert.ok(error instanceof SpillwayError);
          assert.match(error.message, /is gone/);
          assert.notEqual(error.hint, undefined);
          return true;
        });
      }
    });
  });
}

/** Writes a sample to a file of its own, which is deleted with the test. */
export async function keep({ bytes, kind, mediaType, charset }: Omit<Sample, "name">) {
  const folder = await mkdtemp(join(tmpdir(), "spillway-handler-"));
  const path = join(folder, "blob");
  await writeFile(path, bytes);
  const file: LocalFile = { content: { path }, sizeBytes: bytes.length, kind, mediaType, charset: charset ?? null };
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

async function keepAndLose(sample: Sample) {
  await using sampleFile = await keep(sample);
  return { file: sampleFile.file };
}

/** Everything a handler yields for a file, from one segment on. */
export async function run(handler: Handler, file: LocalFile, from = 0): Promise<ExtractItem[]> {
  return Array.fromAsync(handler.extract(file, optionsFrom(from), new AbortController().signal));
}

export function segmentsOf(items: readonly ExtractItem[]): Segment[] {
  return items.flatMap((item) => ("segment" in item ? [item.segment] : []));
}

function indexesOf(segments: readonly Segment[]): number[] {
  return segments.map(({ index }) => index);
}

function optionsFrom(from = 0): HandlerOptions {
  return { mode: "markdown", from };
}

/** Segments to resume at: the first three, one in the middle, the last, and past the end. */
function resumePoints(count: number): Iterable<number> {
  return new Set([0, 1, 2, Math.floor(count / 2), count - 1, count].filter((from) => from >= 0 && from <= count));
}

async function runAndAbort(handler: Handler, file: LocalFile, afterItems: number, reason: Error) {
  const controller = new AbortController();
  let itemCount = 0;
  try {
    for await (const _ of handler.extract(file, optionsFrom(), controller.signal)) {
      itemCount += 1;
      if (itemCount === afterItems) controller.abort(reason);
    }
  } catch (thrown) {
    return { itemCount, thrown };
  }
  return { itemCount, thrown: undefined };
}
