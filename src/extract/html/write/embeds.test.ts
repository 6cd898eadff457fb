import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const sentence = "The keeper of the lighthouse wrote down the weather of every day, and the ships that passed it.";
const read = (html: string) => extractHtml(html, { url: "https://example.com/", mode: "markdown" });

describe("embedded documents are linked:", () => {
  const story = Array.from({ length: 4 }, (_, index) => `<p>${index + 1}: ${sentence}</p>`).join("");
  const around = (embed: string): string =>
    read(`<main><h1>Log</h1>${story}${embed}<p>End: ${sentence}</p></main>`).text;

  test("a video by its title", () => {
    assert.ok(
      around('<iframe src="//video.example/embed/7" title="The [new] lamp" allowfullscreen></iframe>').includes(
        "\n\n[The [new] lamp](https://video.example/embed/7)\n\nEnd: ",
      ),
    );
  });

  test("a player without a title, loaded late", () => {
    assert.ok(
      around('<iframe src="about:blank" data-src="/player?v=1" allowfullscreen></iframe>').includes(
        "[/player?v=1](/player?v=1)",
      ),
    );
  });

  for (const attributes of [
    'src="https://count.example/" style="display:none" title="x"',
    'src="https://ads.example/" title="Advertisement"',
    'src="https://frame.example/"',
    'src="javascript:void(0)" title="x"',
    'title="x"',
  ])
    test(`not a frame that shows readers nothing: ${attributes}`, () =>
      assert.equal(around(`<iframe ${attributes}></iframe>`), around("")));

  test("the frames of a frameset, with the text for browsers without frames", () => {
    const page = read(
      '<html><frameset cols="20%,*"><frame name="menu" src="menu.html"><frame src="start.html"><noframes><body><p>Welcome to the <a href="log.html">log</a>.</p></body></noframes></frameset></html>',
    );
    assert.equal(page.text, "[menu](/menu.html)\n\n[start.html](/start.html)\n\nWelcome to the [log](/log.html).");
    assert.equal(page.method, "main");
  });
});
