import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { errorBody, type RelayAnswer, type RelayedRequest, startHttpRelay } from "../../../test/http-relay.ts";
import { makeAddress, startS3 } from "../../../test/s3-server.ts";
import { listen, startRelay } from "../../../test/tcp-relay.ts";
import { waitUntil } from "../../../test/waiting.ts";
import { hashObject } from "../blobs.ts";
import { objectsContract } from "../objects.contract.ts";
import { ObjectsError, readObject } from "../objects.ts";
import type { S3Address } from "./s3-address.ts";
import { s3Objects } from "./s3-objects.ts";

const server = await startS3();

if (typeof server === "string") test("objects in a bucket", { skip: server }, () => undefined);
else {
  after(() => server[Symbol.asyncDispose]());

  const open = async (change: Partial<S3Address> = {}, options: { timeoutMs?: number; now?: () => number } = {}) => {
    const folder = await makeTemporaryFolder();
    const address = { ...makeAddress(server), ...change };
    const copies = { folder: join(folder.path, "tmp"), cacheFolder: join(folder.path, "copies"), maxBytes: 1_000_000 };
    const objects = s3Objects(address, { copies, ...options });
    return {
      objects,
      address,
      folder: folder.path,
      async [Symbol.asyncDispose]() {
        await objects.close();
        await folder[Symbol.asyncDispose]();
      },
    };
  };

  objectsContract("S3", () => open());
  objectsContract("S3 without a prefix of its own", () => open({ prefix: `bare-${randomBytes(4).toString("hex")}/` }));

  const failureOf = async (action: Promise<unknown>): Promise<ObjectsError> => {
    const error = await action.then(
      () => assert.fail("should have failed"),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ObjectsError, String(error));
    return error;
  };

  const faultOf = async (change: Partial<S3Address>, options = {}): Promise<string> => {
    await using backend = await open(change, options);
    const { objects } = backend;
    const actions = [objects.put("k", Buffer.from("x")), readObject(objects, "k"), objects.head("k")];
    const failures = await Promise.all([...actions, Array.fromAsync(objects.list(""))].map(failureOf));
    for (const { message } of failures) assert.ok(!message.includes("guessed-secret"), message);
    return [...new Set(failures.map(({ fault }) => fault))].join();
  };

  /** The bucket behind a relay that answers some requests itself. */
  const openBehind = async (answer: (request: RelayedRequest) => RelayAnswer | undefined) => {
    const relay = await startHttpRelay(server.port, answer);
    const backend = await open({ host: `127.0.0.1:${relay.port}` });
    return {
      ...backend,
      seen: relay.seen,
      async [Symbol.asyncDispose]() {
        await backend[Symbol.asyncDispose]();
        await relay[Symbol.asyncDispose]();
      },
    };
  };
  const isConditional = ({ method, headers }: RelayedRequest) => method === "PUT" && headers["if-none-match"] === "*";

  describe("a put of what is not there yet", () => {
    test("looks first and then writes where the service knows no conditions, and asks for one only once", async () => {
      await using backend = await openBehind((request) =>
        isConditional(request) ? { status: 501, body: errorBody("NotImplemented") } : undefined,
      );
      for (const key of ["one", "two"]) {
        assert.equal(await backend.objects.put(key, Buffer.from("first"), { ifAbsent: true }), "written");
        assert.equal(await backend.objects.put(key, Buffer.from("second"), { ifAbsent: true }), "exists");
        assert.equal((await readObject(backend.objects, key))?.toString(), "first");
      }
      assert.equal(backend.seen.filter(isConditional).length, 1);
    });

    for (const [status, code] of [
      [412, "PreconditionFailed"],
      [409, "ConditionalRequestConflict"],
    ] as const) {
      test(`waits until another writer's object can be read: ${status} ${code}`, async () => {
        let refusals = 0;
        await using backend = await openBehind((request) =>
          isConditional(request) && refusals++ < 3 ? { status, body: errorBody(code) } : undefined,
        );
        assert.equal(await backend.objects.put("k", Buffer.from("own"), { ifAbsent: true }), "written");
        assert.equal((await readObject(backend.objects, "k"))?.toString(), "own");
        assert.equal(refusals, 4);
      });
    }

    test("writes in the end where the service says for ever that there is an object, and shows none", async () => {
      await using backend = await openBehind((request) =>
        isConditional(request) ? { status: 412, body: errorBody("PreconditionFailed") } : undefined,
      );
      assert.equal(await backend.objects.put("k", Buffer.from("own"), { ifAbsent: true }), "written");
      assert.equal((await readObject(backend.objects, "k"))?.toString(), "own");
    });

    test("is decided for one of many writers, and all read its bytes", async () => {
      await using one = await open();
      await using two = await open({ prefix: one.address.prefix });
      for (let round = 0; round < 20; round++) {
        const read = await Promise.all(
          [one, two, one, two].map(async ({ objects }, writer) => {
            await objects.put(`k${round}`, Buffer.from(`writer ${writer}`), { ifAbsent: true });
            return (await readObject(objects, `k${round}`))?.toString();
          }),
        );
        assert.equal(new Set(read).size, 1, JSON.stringify(read));
        assert.match(read[0] ?? "", /^writer/);
      }
    });
  });

  describe("a service that answers wrongly", () => {
    const isListing = ({ path }: RelayedRequest) => path.includes("list-type=2");

    test("fails a listing that does not end", async () => {
      const body =
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></ListBucketResult>";
      await using backend = await openBehind((request) => (isListing(request) ? { status: 200, body } : undefined));
      assert.match((await failureOf(Array.fromAsync(backend.objects.list("")))).message, /does not end/);
      assert.ok(backend.seen.length < 5);
    });

    test("is not read without end", async () => {
      await using backend = await openBehind((request) =>
        isListing(request) ? { status: 200, body: "x".repeat(17 * 1024 * 1024) } : undefined,
      );
      assert.match((await failureOf(Array.fromAsync(backend.objects.list("")))).message, /too long/);
      await backend.objects.put("k", Buffer.from("the next request works"));
    });

    test("fails an upload in parts that has no id, and characters that are none", async () => {
      await using backend = await openBehind(({ method, path }) => {
        if (method === "POST") return { status: 200, body: "<InitiateMultipartUploadResult/>" };
        const entry = "<Contents><Key>&#99999999999;</Key><Size>1</Size></Contents>";
        return path.includes("list-type=2") ? { status: 200, body: `<R>${entry}</R>` } : undefined;
      });
      const source = join(backend.folder, "source");
      await writeFile(source, Buffer.alloc(17 * 1024 * 1024));
      assert.match((await failureOf(backend.objects.put("k", { path: source }))).message, /no id/);
      assert.deepEqual(await Array.fromAsync(backend.objects.list("")), []);
    });
  });

  describe("objects in a bucket", () => {
    test("are uploaded in parts when they are large, byte for byte, and leave no copy behind", async () => {
      await using backend = await open();
      const bytes = randomBytes(40 * 1024 * 1024 + 7);
      const source = join(backend.folder, "source");
      await writeFile(source, bytes);
      assert.equal(await backend.objects.put("large", { path: source }, { isNewKey: true }), "written");
      assert.equal((await backend.objects.head("large"))?.sizeBytes, bytes.length);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      assert.equal(await hashObject(backend.objects, "large"), sha256);
      const end = await backend.objects.get("large", { start: bytes.length - 5, end: bytes.length + 5 });
      assert.deepEqual(Buffer.concat(await Array.fromAsync(end ?? [])), bytes.subarray(-5));
      {
        await using file = await backend.objects.local("large");
        assert.equal(file?.sha256, sha256);
      }
      assert.deepEqual(await readdir(join(backend.folder, "tmp")), []);
      assert.equal(await backend.objects.put("large", { path: source }, { ifAbsent: true }), "exists");
    });

    test("tell the stamp of what was written at once, and it is that of the object", async () => {
      await using backend = await open();
      const stamps: string[] = [];
      await backend.objects.put("k", Buffer.from("one"), { noteStamp: (stamp) => stamps.push(stamp) });
      assert.deepEqual(stamps, [(await backend.objects.head("k"))?.stamp]);
    });

    test("are listed over several pages", async () => {
      await using backend = await open();
      const keys = Array.from({ length: 1_050 }, (_, index) => `many/${String(index).padStart(5, "0")}`);
      for (let start = 0; start < keys.length; start += 50) {
        await Promise.all(keys.slice(start, start + 50).map((key) => backend.objects.put(key, Buffer.from("x"))));
      }
      assert.deepEqual(
        (await Array.fromAsync(backend.objects.list("many/"))).map(({ key }) => key),
        keys,
      );
    });

    test("are refused with a wrong key, in one word, without the secret", async () => {
      const wrong = { accessKey: "tester", secretKey: "guessed-secret" };
      assert.equal(await faultOf({ credentials: wrong }), "refused");
      assert.equal(await faultOf({ credentials: { ...wrong, accessKey: "stranger" } }), "refused");
    });

    test("say that the bucket is missing", async () => {
      assert.equal(await faultOf({ bucket: "missing", root: "/missing/" }), "no_bucket");
    });

    test("say that the clocks differ", async () => {
      const hour = 3_600_000;
      await using backend = await open({}, { now: () => Date.now() - hour });
      assert.equal((await failureOf(backend.objects.put("k", Buffer.from("x")))).fault, "clock");
    });

    test("are not looked for at an address that the service points to", async () => {
      let asked = 0;
      const elsewhere = createServer((_, response) => {
        asked++;
        response.end("secret");
      });
      const elsewherePort = await listen(elsewhere);
      const pointing = createServer((_, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${elsewherePort}/` }).end(),
      );
      const port = await listen(pointing);
      try {
        assert.equal(await faultOf({ host: `127.0.0.1:${port}` }), "redirected");
        assert.equal(asked, 0);
      } finally {
        for (const each of [elsewhere, pointing]) each.close();
        for (const each of [elsewhere, pointing]) each.closeAllConnections();
      }
    });

    test("cannot be reached while the connection is cut, and can again without a new start", async () => {
      await using relay = await startRelay(server.port);
      await using backend = await open({ host: `127.0.0.1:${relay.port}` }, { timeoutMs: 1_000 });
      const { objects } = backend;
      await objects.put("k", Buffer.from("kept"));
      relay.cut();
      assert.equal((await failureOf(readObject(objects, "k"))).fault, "unreachable");
      relay.restore();
      const isKept = async () => (await readObject(objects, "k").catch(() => undefined))?.toString() === "kept";
      await waitUntil("the object is read again", isKept);
    });
  });
}
