/** Says that a source is not what it was announced as: most often a login page in place of a document. */
import type { ArtifactFacts } from "../artifacts/record.ts";
import { formatMediaType, nameKind } from "./phrases.ts";

type Facts = Pick<ArtifactFacts, "content_kind" | "media_type" | "size_bytes" | "signals"> & {
  /** Whether its text has nothing but spaces and line breaks. */
  readonly isBlank?: boolean;
};

/** `The server announced application/pdf, but it is a web page, often a login or error page.` */
export function describeWrongAnnouncement(facts: Facts): string | undefined {
  const announced = findAnnounced(facts);
  if (announced === undefined) return undefined;
  const mediaType = formatMediaType(announced.mediaType);
  const claim = announced.by === "header" ? `The server announced ${mediaType}` : `Its name says ${mediaType}`;
  return `${claim}, but ${describeFound(facts)}.`;
}

/** `Failed to extract text from PDF: not a PDF`, for a document that was announced and whose text cannot be had. */
export function makeAnnouncedFailure(facts: Facts): string | undefined {
  const announced = findAnnounced(facts);
  if (announced?.kind !== "pdf" && announced?.kind !== "office_doc") return undefined;
  const name = nameKind(announced.kind, announced.mediaType);
  return `Failed to extract text from ${name}: not a ${name}`;
}

/** A name does not count for text: many extensions of documents are used for text too. */
function findAnnounced({ signals: { announced }, content_kind, size_bytes, isBlank = false }: Facts) {
  const isText = content_kind === "text" && size_bytes > 0 && !isBlank;
  return announced?.by === "header" || !isText ? announced : undefined;
}

function describeFound({ content_kind, media_type, size_bytes, isBlank = false }: Facts): string {
  if (size_bytes === 0) return "it is empty";
  if (isBlank) return "it is blank";
  switch (content_kind) {
    case "html":
      return "it is a web page, often a login or error page";
    case "unknown_binary":
      return "its format is unknown";
    case "pdf":
    case "office_doc":
      return `it is a ${nameKind(content_kind, media_type)}`;
    default:
      return `it is ${formatMediaType(media_type)}`;
  }
}
