/** Every format handler, in the order of precedence. */
import type { ContentKind } from "../detect/kind.ts";
import { SpillwayError } from "../errors.ts";
import { clip } from "../system/safe-names.ts";
import { archive } from "./archive/archive-handler.ts";
import { database } from "./database/database-handler.ts";
import { epub } from "./epub/epub-handler.ts";
import { feed } from "./feed/feed-handler.ts";
import type { Handler } from "./handler.ts";
import { html } from "./html/html-handler.ts";
import { image } from "./image/image-handler.ts";
import { iwork } from "./iwork/iwork-handler.ts";
import { legacy } from "./legacy/legacy-handler.ts";
import { mail } from "./mail/mail-handler.ts";
import { media } from "./media/media-handler.ts";
import { metadata } from "./metadata-handler.ts";
import { notebook } from "./notebook/notebook-handler.ts";
import { office } from "./office/office-handler.ts";
import { openapi } from "./openapi/openapi-handler.ts";
import { pdf } from "./pdf/pdf-handler.ts";
import { rtf } from "./rtf/rtf-handler.ts";
import { text } from "./text-handler.ts";

/** The first handler that can handle a source reads it; `metadata` accepts everything and stays last. */
export const handlers: readonly Handler[] = [
  pdf,
  office,
  legacy,
  epub,
  mail,
  notebook,
  rtf,
  feed,
  openapi,
  iwork,
  archive,
  database,
  image,
  media,
  html,
  text,
  metadata,
];

/** The handler that reads sources of this kind and media type. The session's own handlers come before ours. */
export function findHandler(kind: ContentKind, mediaType: string, ownHandlers: readonly Handler[]): Handler {
  return [...ownHandlers, ...handlers].find((handler) => handler.canHandle(kind, mediaType)) ?? metadata;
}

/** Throws for a handler whose name would mix its stored extracts with another's. */
export function assertHandlers(ownHandlers: readonly Handler[]): void {
  const names = [...handlers, ...ownHandlers].map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (!/^[a-z][a-z0-9-]{1,30}$/.test(name))
      throw invalidHandler(name, "is not a name", "Use 2 to 31 lower-case letters, digits and dashes.");
    if (names.indexOf(name) < index)
      throw invalidHandler(name, "is taken", "Give each handler a name of its own: extracts are stored under it.");
  }
}

function invalidHandler(name: string, fault: string, hint: string): SpillwayError {
  return new SpillwayError("config_invalid", `The handler name ${JSON.stringify(clip(name))} ${fault}.`, { hint });
}
