/** Signing a browser in at `spillway serve`: by the printed link, once, or by a token. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MAX_FAILURES_PER_ADDRESS, MAX_LOOKS } from "../src/surfaces/serve/sign-in/attempt-limit.ts";
import { revokeToken } from "../src/surfaces/serve/tokens/tokens.ts";
import { openServedHttp } from "./served-http.ts";

type Served = Awaited<ReturnType<typeof openServedHttp>>;

/** Sends the form of the page, as a browser does. */
function sendForm({ url }: Served, fields: Readonly<Record<string, string>>, origin = url): Promise<Response> {
  const body = new URLSearchParams(fields);
  return fetch(`${url}/sign-in`, { method: "POST", headers: { origin }, body, redirect: "manual" });
}

const cookieOf = (response: Response): string => (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

/** What the page says to a browser with this cookie. */
const readPage = async ({ url }: Served, cookie: string): Promise<string> =>
  (await fetch(url, { headers: { cookie } })).text();

const codeOf = ({ signInUrl }: Served): string => new URL(signInUrl ?? "").searchParams.get("code") ?? "";

describe("signing in", () => {
  test("without a link, the page says where a token comes from", async () => {
    await using served = await openServedHttp();
    const page = await (await fetch(new URL("/sign-in", served.url))).text();
    assert.match(page, /spillway serve prints your token .*<code>spillway token add NAME<\/code>/);
  });

  test("the printed link signs the operator in, once", async () => {
    await using served = await openServedHttp();
    for (let views = 0; views < 2; views++) {
      const page = await fetch(served.signInUrl ?? "");
      assert.match(
        await page.text(),
        new RegExp(`name="code" value="${codeOf(served)}"`),
        "looking does not use it up",
      );
      assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
    }
    const response = await sendForm(served, { code: codeOf(served) });
    assert.deepEqual([response.status, response.headers.get("location")], [303, "/"]);
    assert.match(response.headers.get("set-cookie") ?? "", /; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.match(await readPage(served, cookieOf(response)), /You are signed in as user-/);
    assert.equal((await sendForm(served, { code: codeOf(served) })).status, 403);
  });

  test("a link ends after ten minutes, a cookie after twelve hours", async () => {
    let now = Date.now();
    await using served = await openServedHttp({ now: () => now });
    const token = await served.makeToken({ name: "ann" });
    const cookie = cookieOf(await sendForm(served, { token }));
    assert.match(await readPage(served, cookie), /signed in as ann/);
    now += 10 * 60_000;
    assert.equal((await sendForm(served, { code: codeOf(served) })).status, 403);
    now += 12 * 60 * 60_000;
    assert.doesNotMatch(await readPage(served, cookie), /signed in/);
  });

  test("behind TLS no other host of the domain can set the cookie", async () => {
    await using served = await openServedHttp({ settings: { "serve.hosts": ["mcp.example.com"] } });
    const response = await sendForm(served, { token: await served.makeToken({ name: "ann" }) });
    const cookie = cookieOf(response);
    assert.match(
      response.headers.get("set-cookie") ?? "",
      /^__Host-\S+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    assert.match(await readPage(served, cookie), /signed in as ann/);
    assert.doesNotMatch(await readPage(served, cookie.replace("__Host-", "")), /signed in/);
  });

  test("a token signs its owner in until it is revoked, or the browser signs out", async () => {
    await using served = await openServedHttp();
    const token = await served.makeToken({ name: "ann" });
    const cookie = cookieOf(await sendForm(served, { token }));
    assert.match(await readPage(served, cookie), /signed in as ann/);
    const out = await fetch(`${served.url}/sign-out`, { method: "POST", redirect: "manual" });
    assert.match(out.headers.get("set-cookie") ?? "", /=; Max-Age=0/);
    await revokeToken(`${served.home}/tokens.json`, "ann");
    assert.doesNotMatch(await readPage(served, cookie), /signed in/);
  });

  test("what is not exactly right is refused", async () => {
    await using served = await openServedHttp();
    const token = await served.makeToken({ name: "ann" });
    for (const fields of [
      {},
      { token: "" },
      { token: `${token}x` },
      { code: "" },
      { code: "a".repeat(43) },
      { code: token },
    ])
      assert.equal((await sendForm(served, fields as Record<string, string>)).status, 403, JSON.stringify(fields));
    assert.equal((await sendForm(served, { token }, "https://evil.example")).status, 403);
    assert.equal((await sendForm(served, { token }, "null")).status, 403);
    const json = await fetch(`${served.url}/sign-in`, { method: "POST", body: JSON.stringify({ token }) });
    assert.equal(json.status, 415);
    assert.equal((await sendForm(served, { token: "a".repeat(20_000) })).status, 413);
    const cookie = cookieOf(await sendForm(served, { token }));
    const forged = [
      cookie.replace(/=./, (text) => (text === "=a" ? "=b" : "=a")),
      cookie.replace(/\.\d/, ".9"),
      cookie.slice(0, -1),
      `${cookie}0`,
    ];
    for (const each of forged) assert.doesNotMatch(await readPage(served, each), /signed in/, each);
    assert.equal(
      (await fetch(served.mcpUrl, { method: "POST", headers: { cookie } })).status,
      401,
      "a cookie does not replace a token",
    );
    assert.equal((await fetch(`${served.url}/metrics`, { headers: { cookie } })).status, 401);
  });

  test("after too many attempts that failed, says when to try again, and lets the holder of a token in", async () => {
    let now = Date.now();
    await using served = await openServedHttp({ now: () => now });
    const token = await served.makeToken({ name: "ann" });
    for (let count = 0; count < MAX_FAILURES_PER_ADDRESS; count++)
      assert.equal((await sendForm(served, { token: `spw_wrong${count}` })).status, 403);
    const refused = await sendForm(served, { token: "spw_wrong" });
    const waitSeconds = Number(refused.headers.get("retry-after"));
    assert.deepEqual([refused.status, refused.headers.get("set-cookie")], [429, null]);
    assert.ok(waitSeconds > 0);
    assert.match(await refused.text(), new RegExp(`Too many attempts to sign in. Try again in ${waitSeconds} s\\.`));
    assert.equal((await fetch(`${served.url}/sign-in`)).status, 200, "looking is not an attempt");
    assert.equal((await sendForm(served, { token })).status, 303, "all share the address of a reverse proxy");
    now += waitSeconds * 1_000;
    assert.equal((await sendForm(served, { token: "spw_wrong" })).status, 403);
  });

  test("after too many codes, says when to try again, also to the holder of a link", async () => {
    let now = Date.now();
    await using served = await openServedHttp({ now: () => now });
    const codes = Array.from({ length: MAX_LOOKS }, (_, count) => String(count).padStart(43, "a"));
    for (const code of codes) assert.notEqual((await sendForm(served, { code })).status, 303);
    const refused = await sendForm(served, { code: codeOf(served) });
    assert.equal(refused.status, 429);
    now += Number(refused.headers.get("retry-after")) * 1_000;
    assert.equal((await sendForm(served, { code: codeOf(served) })).status, 303);
  });

  test("a code from a stranger's link is shown only in the form of a code", async () => {
    await using served = await openServedHttp();
    const page = await (await fetch(`${served.url}/sign-in?code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`)).text();
    assert.doesNotMatch(page, /script|alert/);
  });
});
