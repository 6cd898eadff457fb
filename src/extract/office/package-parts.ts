/** Parts of an office package: XML members, the relations between them, and the facts about the document. */
import { cleanText } from "../clean.ts";
import type { DocumentFacts } from "../handler.ts";
import { makeXmlDecoder } from "../xml/decode-xml.ts";
import { scanXml, type XmlEvents } from "../xml/scan-xml.ts";
import type { Zip, ZipMember } from "../zip/open-zip.ts";

/** A part longer than this is read up to here. Streaming keeps memory small, so only time is bounded. */
const MAX_PART_BYTES = 512 * 1024 * 1024;

/** Parts that are read whole before the text: styles, numbering, relations. */
const MAX_SMALL_PART_BYTES = 32 * 1024 * 1024;

/** The text of an XML part in chunks, decoded by its byte order mark or as UTF-8. */
export async function* readXml(zip: Zip, member: ZipMember, maxBytes = MAX_PART_BYTES): AsyncGenerator<string> {
  let decode: ((chunk: Uint8Array) => Iterable<string>) | undefined;
  for await (const chunk of zip.read(member, { maxBytes })) {
    decode ??= makeXmlDecoder(chunk);
    yield* decode(chunk);
  }
}

/** Scans a small part to its end. Does nothing if the package does not have it. */
export async function scanPart(
  zip: Zip,
  name: string | undefined,
  events: XmlEvents,
  maxBytes = MAX_SMALL_PART_BYTES,
): Promise<void> {
  const member = name === undefined ? undefined : zip.find(name);
  if (member === undefined) return;
  const scanner = scanXml(events);
  for await (const text of readXml(zip, member, maxBytes)) scanner.write(text);
  scanner.end();
}

/** Links are relations, and a long document has thousands. */
const MAX_RELATIONS_BYTES = 4 * 1024 * 1024;

/** Where a relation of a part leads. */
export type Relation = { readonly type: string; readonly target: string; readonly isExternal: boolean };

/** The relations of a part by id. Types are the last word of their URL, as in `styles`. */
export async function readRelations(zip: Zip, part: string): Promise<ReadonlyMap<string, Relation>> {
  const relations = new Map<string, Relation>();
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  await scanPart(
    zip,
    `${folder}_rels/${part.slice(folder.length)}.rels`,
    {
      open(name, tag) {
        const [id, target] = [tag.get("Id"), tag.get("Target")];
        if (name !== "Relationship" || id === undefined || target === undefined) return;
        const isExternal = tag.get("TargetMode") === "External";
        const type = (tag.get("Type") ?? "").replace(/^.*\//, "");
        relations.set(id, { type, isExternal, target: isExternal ? target : resolvePath(folder, target) });
      },
      close: () => undefined,
    },
    MAX_RELATIONS_BYTES,
  );
  return relations;
}

/** The target of the first relation of this type. */
export function findTarget(relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  for (const relation of relations.values()) if (relation.type === type && !relation.isExternal) return relation.target;
  return undefined;
}

/** The targets of all relations of this type, in order. */
export function findTargets(relations: ReadonlyMap<string, Relation>, type: string): string[] {
  return [...relations.values()]
    .filter((relation) => relation.type === type && !relation.isExternal)
    .map(({ target }) => target);
}

/** A path relative to a folder of the package. */
export function resolvePath(folder: string, target: string): string {
  const path = decodePath(target).replaceAll("\\", "/");
  const steps: string[] = [];
  for (const step of (path.startsWith("/") ? path : `${folder}${path}`).split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps.join("/");
}

function decodePath(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target; // A percent sign that is part of the name.
  }
}

/** The main part of a package: where its relations lead, else where most writers put it. */
export async function findMainPart(zip: Zip, usual: string): Promise<string> {
  const target = findTarget(await readRelations(zip, ""), "officeDocument");
  return target !== undefined && zip.find(target) ? target : usual;
}

/** Title, author and date, as `docProps/core.xml` of Office Open XML or `meta.xml` of OpenDocument has them. */
export async function readFacts(zip: Zip, part: "docProps/core.xml" | "meta.xml"): Promise<DocumentFacts> {
  const values = new Map<string, string>();
  let current = "";
  await scanPart(zip, part, {
    open(name) {
      current = name;
    },
    close() {
      current = "";
    },
    text(text) {
      values.set(current, (values.get(current) ?? "") + text);
    },
  });
  // Metadata can mislead a reader just like text.
  const pick = (name: string) =>
    cleanText(values.get(name) ?? "")
      .text.replaceAll(/\s+/g, " ")
      .trim() || undefined;
  const [title, author, language] = [pick("title"), pick("initial-creator") ?? pick("creator"), pick("language")];
  const date = pick("created") ?? pick("creation-date");
  return {
    ...(title && { title }),
    ...(author && { author }),
    ...(date && { date }),
    ...(language && { language }),
  };
}
