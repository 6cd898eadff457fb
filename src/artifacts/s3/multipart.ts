/** Large objects: uploaded in parts, of which each is hashed and acknowledged; visible only when complete. */
import { type FileHandle, open } from "node:fs/promises";
import { ObjectsError } from "../objects.ts";
import type { S3Client, S3Request } from "./s3-client.ts";

/** Above this an object is uploaded in parts, so that it is neither held in memory nor sent again as a whole. */
export const MAX_SINGLE_BYTES = 16 * 1024 * 1024;

const PART_BYTES = 16 * 1024 * 1024;

/** Parts in memory at once. */
const PARALLEL_PARTS = 3;

/** Uploads a file in parts. A failed or killed upload leaves no object; the service discards its parts. */
export async function putInParts(
  client: S3Client,
  key: string,
  path: string,
  complete: Pick<S3Request, "headers" | "expected">,
) {
  const { text } = await client.ask({ method: "POST", key, query: { uploads: "" } });
  const uploadId = readTag(text, "UploadId");
  if (uploadId === "") throw new ObjectsError("failed", "The service gave no id for an upload in parts.");
  try {
    const tags = await uploadParts(client, key, path, uploadId);
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    return await client.ask({ method: "POST", key, query: { uploadId }, body, ...complete });
  } catch (error) {
    // If this fails too, the service's rule for unfinished uploads removes the parts.
    await client.ask({ method: "DELETE", key, query: { uploadId }, expected: [404] }).catch(() => undefined);
    throw error;
  }
}

async function uploadParts(client: S3Client, key: string, path: string, uploadId: string): Promise<string[]> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const count = Math.ceil(size / PART_BYTES);
  const tags = new Array<string>(count).fill("");
  let next = 0;
  async function uploadNext(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      const body = await readPart(file, index * PART_BYTES, Math.min(PART_BYTES, size - index * PART_BYTES));
      const query = { partNumber: String(index + 1), uploadId };
      tags[index] = (await client.ask({ method: "PUT", key, query, body })).headers.etag ?? "";
    }
  }
  // The others begin no further part after a failure, and the file is open until they have ended.
  const uploads = Array.from({ length: Math.min(PARALLEL_PARTS, count) }, () =>
    uploadNext().finally(() => {
      next = count;
    }),
  );
  for (const upload of await Promise.allSettled(uploads)) if (upload.status === "rejected") throw upload.reason;
  return tags;
}

async function readPart(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw Object.assign(new Error("The file has become shorter."), { code: "EIO" });
    filled += bytesRead;
  }
  return buffer;
}

/** The text of the first element of that name. */
export function readTag(xml: string, name: string): string {
  return decode(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "");
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};

const decode = (text: string): string =>
  text.replaceAll(
    /&(?:lt|gt|quot|apos|amp);|&#(\d{1,6});/g,
    (entity, code) => entities[entity] ?? String.fromCodePoint(Number(code)),
  );
