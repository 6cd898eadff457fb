/** Every format handler, in the order of precedence. */
import type { ContentKind } from "../detect/kind.ts";
import type { Handler } from "./handler.ts";
import { html } from "./html/html-handler.ts";
import { metadata } from "./metadata-handler.ts";
import { pdf } from "./pdf/pdf-handler.ts";
import { text } from "./text-handler.ts";

/** The first handler that can handle a source reads it; `metadata` accepts everything and stays last. */
export const handlers: readonly Handler[] = [pdf, html, text, metadata];

/** The handler that reads sources of this kind and media type. */
export function findHandler(kind: ContentKind, mediaType: string): Handler {
  return handlers.find((handler) => handler.canHandle(kind, mediaType)) ?? metadata;
}
