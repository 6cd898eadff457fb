import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeOwnRequestCheck, type PausedRequest } from "./own-requests.ts";

const page = "https://page.example/start";

type Step = { url: string; type?: string; frame?: string; after?: number; isOwn: boolean };

/** The rows of a story, judged in order; `after` is the index of the request that redirected to this one. */
const stories: Readonly<Record<string, readonly Step[]>> = {
  "scripts and data of the page are its own": [
    { url: page, type: "Document", isOwn: true },
    { url: "https://page.example/app.js", type: "Script", isOwn: true },
    { url: "https://page.example/data", isOwn: true },
  ],
  "another host, port or scheme is another origin": [
    { url: "https://other.example/", isOwn: false },
    { url: "https://page.example:8443/", isOwn: false },
    { url: "http://page.example/", isOwn: false },
    { url: "https://sub.page.example/", isOwn: false },
    { url: "data:text/plain,x", isOwn: false },
    { url: "not a url", isOwn: false },
  ],
  "a chain of redirects that has touched another origin stays foreign": [
    { url: "https://page.example/a", isOwn: true },
    { url: "https://other.example/b", after: 0, isOwn: false },
    { url: "https://page.example/c", after: 1, isOwn: false },
    { url: "https://page.example/d", after: 2, isOwn: false },
    { url: "https://page.example/e", isOwn: true },
  ],
  "a redirect on the page's origin is its own": [
    { url: "https://page.example/a", isOwn: true },
    { url: "https://page.example/b", after: 0, isOwn: true },
  ],
  "frames of the page's origin are its own until a foreign document is there": [
    { url: "https://page.example/frame", type: "Document", frame: "child", isOwn: true },
    { url: "https://page.example/data", frame: "child", isOwn: true },
    { url: "https://other.example/", type: "Document", frame: "second", isOwn: false },
    { url: "https://page.example/data", frame: "second", isOwn: false },
    { url: "https://page.example/data", frame: "child", isOwn: false },
    { url: "https://page.example/data", isOwn: true },
    { url: "https://page.example/frame", type: "Document", frame: "third", isOwn: false },
    { url: "https://page.example/again", type: "Document", isOwn: false },
  ],
  "a page that went to another origin owns nothing any more": [
    { url: "https://other.example/", type: "Document", isOwn: false },
    { url: "https://page.example/data", isOwn: false },
    { url: page, type: "Document", isOwn: false },
  ],
};

describe("of the requests of a rendered page", () => {
  for (const [title, steps] of Object.entries(stories)) {
    test(title, () => {
      const isOwn = makeOwnRequestCheck(page, "main");
      const verdicts = steps.map(({ url, type = "Fetch", frame = "main", after }, index) => {
        const paused: PausedRequest = {
          requestId: `r${index}`,
          frameId: frame,
          resourceType: type,
          request: { url, method: "GET", headers: {} },
          ...(after === undefined ? {} : { redirectedRequestId: `r${after}` }),
        };
        return isOwn(paused);
      });
      assert.deepEqual(
        verdicts,
        steps.map((step) => step.isOwn),
      );
    });
  }
});
