/** Decides which requests of a rendered page are the page's own: sent by its origin to its origin, chosen by no other. */

/** A request that the browser has paused. */
export type PausedRequest = {
  readonly requestId: string;
  /** The paused request that was answered with a redirect to this one. */
  readonly redirectedRequestId?: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: { readonly url: string; readonly method: string; readonly headers: Record<string, string> };
};

/** Judges the requests of one page in the order in which the browser pauses them. */
export function makeOwnRequestCheck(pageUrl: string, mainFrameId: string): (paused: PausedRequest) => boolean {
  const { origin } = new URL(pageUrl);
  const foreignChains = new Set<string>();
  let hasForeignDocument = false;
  let isMainFrameForeign = false;

  /** A redirect chain that has touched another origin is that origin's choice from then on. */
  function isOnOwnChain({ requestId, redirectedRequestId = "", request }: PausedRequest): boolean {
    const isOwn = URL.parse(request.url)?.origin === origin && !foreignChains.has(redirectedRequestId);
    if (!isOwn) foreignChains.add(requestId);
    return isOwn;
  }

  function noteDocument({ frameId }: PausedRequest): void {
    hasForeignDocument = true;
    if (frameId === mainFrameId) isMainFrameForeign = true;
  }

  return (paused) => {
    const { resourceType, frameId } = paused;
    const isDocument = resourceType === "Document";
    const isOwn = isOnOwnChain(paused);
    if (!isOwn && isDocument) noteDocument(paused);
    // Any frame may navigate another one, so where a foreign document is present, it is unknown who chose a document.
    const isFromPage = frameId === mainFrameId && !isDocument && !isMainFrameForeign;
    return isOwn && (isFromPage || !hasForeignDocument);
  };
}
