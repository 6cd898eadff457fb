/** The promises about stored segments, as tests; they hold wherever objects are. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { segmentsKey } from "../../../artifacts/keys.ts";
import { readObject } from "../../../artifacts/objects.ts";
import type { Storage } from "../../../artifacts/storage.ts";
import { pageOfSegments, segmentsOfOthers } from "../../../catalogue/segment-rows.ts";
import { openReader } from "../index-reader.ts";
import { newFile } from "../store/index-store.contract.ts";
import { openMemoryStore } from "../store/memory-index-store.ts";
import { adoptSegments } from "./adopt-segments.ts";
import { createSegmentBuilder } from "./build-segment.ts";
import { publishSegments } from "./publish-segments.ts";
import { SEGMENT_VERSION } from "./segment-layout.ts";
import { openSegmentStore } from "./segment-store.ts";

const prefix = segmentsKey({ owner: "ann", project: "shop", repository: "web" });
const noPause = () => null;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** A file as an index reads it, with the hash of its bytes. */
const fileOf = (path: string, text: string) => ({ ...newFile(path, text), hash: hashOf(text) });

const filesOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => fileOf(`f${from + n}.ts`, `const value${from + n} = 1;\n`));

function buildBytes(): Uint8Array {
  const builder = createSegmentBuilder();
  for (const [id, file] of filesOf(0, 3).entries()) builder.add({ ...file, id: id + 1 });
  return builder.finish();
}

export function segmentStoreContract(name: string, openStorage: () => Promise<Storage & AsyncDisposable>): void {
  describe(`segments in ${name}`, () => {
    const promise = (sentence: string, check: (storage: Storage) => Promise<void>) =>
      test(sentence, async () => {
        await using storage = await openStorage();
        await check(storage);
      });
    const openIn = (storage: Storage) => openSegmentStore(storage, prefix, Date.now);

    promise("are announced, stored under a name with their hash, and opened", async (storage) => {
      const segments = openIn(storage);
      const bytes = buildBytes();
      const segment = (await segments.put(bytes)) ?? assert.fail();
      assert.equal(segment.slice(0, 64), createHash("sha256").update(bytes).digest("hex"));
      const garbage = await storage.catalogue.all<{ object_key: string }>("SELECT object_key FROM garbage");
      assert.deepEqual(
        garbage.map(({ object_key }) => object_key),
        [prefix + segment],
      );
      assert.deepEqual([(await segments.open(segment))?.fileCount, segments.isMissing(segment)], [3, false]);
      assert.deepEqual([...((await segments.outline(segment))?.fileIds ?? [])], [1, 2, 3]);
      assert.deepEqual([...(await segments.sizesOf([segment, "none"]))], [[segment, bytes.length]]);
      assert.notEqual(await segments.put(bytes), segment, "no name is used twice");
    });

    promise("that are missing or altered are known as missing after they were read", async (storage) => {
      const segments = openIn(storage);
      const put = async () => (await segments.put(buildBytes())) ?? assert.fail();
      const [altered, gone] = [await put(), await put()];
      const bytes = (await readObject(storage.objects, prefix + altered)) ?? assert.fail();
      await storage.objects.put(prefix + altered, bytes.fill(7, bytes.length - 50));
      await storage.objects.delete(prefix + gone);
      for (const segment of [altered, gone]) {
        assert.equal(await segments.open(segment), null);
        assert.equal(segments.isMissing(segment), true);
      }
    });

    promise("of two versions of the program are in one index, and each keeps its own", async (storage) => {
      const clock = { ms: Date.UTC(2030) };
      const versions = [10, 11].map((version) => openSegmentStore(storage, prefix, () => clock.ms, version));
      const store = openMemoryStore();
      store.write({ put: filesOf(0, 150) });
      const publishAll = async () => {
        for (const segments of versions) await publishSegments({ root: "/", store, segments }, noPause);
      };
      await publishAll();
      const built = store.snapshot().segments;
      assert.deepEqual(built.map((name) => name.slice(-3)).sort(), [".10", ".11"]);
      for (const segments of versions) {
        const { view } = await openReader(store).load(segments);
        assert.deepEqual([view.liveFiles, view.parts.length], [150, 1]);
      }
      const generation = store.generation();
      for (let day = 0; day < 9; day++) {
        await publishAll();
        clock.ms += 86_400_000;
      }
      assert.deepEqual([store.snapshot().segments, store.generation()], [built, generation], "nothing is built again");

      const [, later = assert.fail()] = versions;
      for (let day = 0; day < 9; day++) {
        clock.ms += 86_400_000;
        await publishSegments({ root: "/", store, segments: later }, noPause);
      }
      assert.deepEqual(
        store.snapshot().segments,
        built.filter((name) => name.endsWith(".11")),
        "those of a version that is not used are dropped",
      );
    });

    promise("of another version are not taken over from another index", async (storage) => {
      const later = openSegmentStore(storage, prefix, Date.now, SEGMENT_VERSION + 1);
      const [ours, theirs] = [openMemoryStore(), openMemoryStore()];
      theirs.write({ put: filesOf(0, 150) });
      await publishSegments({ root: "/", store: theirs, segments: later }, noPause);
      ours.write({ put: filesOf(0, 150) });
      await adoptSegments({ root: "/", store: ours, segments: openIn(storage) }, theirs.snapshot().segments, noPause);
      assert.deepEqual(ours.snapshot().segments, []);
    });

    promise("that cannot be read for now are not built again", async (storage) => {
      const segments = openIn(storage);
      const store = openMemoryStore();
      store.write({ put: filesOf(0, 150) });
      await publishSegments({ root: "/", store, segments }, noPause);
      const built = store.snapshot().segments;
      store.write({ put: filesOf(150, 300) });
      const refused = { ...segments, outline: async () => null };
      await publishSegments({ root: "/", store: { ...store }, segments: refused }, noPause);
      assert.deepEqual(store.snapshot().segments, built);
      await publishSegments({ root: "/", store, segments }, noPause);
      assert.equal(store.snapshot().segments.length, 2);
    });

    promise("that one index has built serve another that has the same files, under ids of its own", async (storage) => {
      const segments = openIn(storage);
      const [ours, theirs] = [openMemoryStore(), openMemoryStore()];
      theirs.write({ put: filesOf(0, 150) });
      await publishSegments({ root: "/", store: theirs, segments }, noPause);
      const [built = ""] = theirs.snapshot().segments;

      ours.write({ put: filesOf(140, 170) }); // Other ids, some other files, and two that differ.
      const changed = [
        fileOf("f7.ts", "const changed = 1;\n"),
        { ...fileOf("f8.ts", "const value8 = 1;\n"), outline: "large" },
      ];
      ours.write({ put: [...filesOf(0, 140), ...changed] });
      await adoptSegments({ root: "/", store: ours, segments }, [built], noPause);
      await publishSegments({ root: "/", store: ours, segments }, noPause);
      assert.deepEqual(ours.snapshot().segments, [built], "nothing is built again");
      const { view, missingFiles } = await openReader(ours).load(segments);
      assert.deepEqual([view.liveFiles, missingFiles], [170, 0]);
      const [shared = assert.fail()] = view.parts;
      for (const [file, id] of [...shared.segment.fileIds].entries()) {
        if (shared.dead?.[file]) assert.match(shared.segment.path(file), /^f[78]\.ts$/);
        else assert.equal(ours.text(id)?.path, shared.segment.path(file));
      }
    });

    promise("of another index that has other files are not taken over, and not examined again", async (storage) => {
      const segments = openIn(storage);
      const [ours, theirs] = [openMemoryStore(), openMemoryStore()];
      theirs.write({ put: filesOf(0, 150) });
      await publishSegments({ root: "/", store: theirs, segments }, noPause);
      const published = theirs.snapshot().segments;
      ours.write({ put: filesOf(100, 300) });
      await adoptSegments({ root: "/", store: ours, segments }, published, noPause);
      assert.deepEqual(ours.snapshot().segments, []);
      const closed = { ...segments, open: () => assert.fail("examined again") };
      await adoptSegments({ root: "/", store: ours, segments: closed }, published, noPause);
      assert.deepEqual(await segmentsOfOthers(storage.catalogue, { owner: "", project: "", repository: "" }, ""), []);
      assert.deepEqual(await pageOfSegments(storage.catalogue, 9, ""), []);
    });
  });
}
