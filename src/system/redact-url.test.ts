import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isRedacted, redactUrl } from "./redact-url.ts";

const secretNames = [
  ..."token access_token accessToken id_token refresh_token auth_token X-Amz-Security-Token csrf-token".split(" "),
  ..."key api_key apikey api-key APIKEY x-api-key subscription-key AWSAccessKeyId".split(" "),
  ..."sig signature X-Amz-Signature X-Goog-Signature X-Amz-Credential hmac".split(" "),
  ..."password passwd pwd pass user[password] client_secret secret code auth_code otp".split(" "),
  ..."tok tkn cred creds pswd sess sign api_sign user_pass db-pass key1 token2 oauth_verifier hdnts cookie csrf _csrf".split(
    " ",
  ),
  ..."xsrfToken user_pin appkey consumerKey accesstoken secretkey session_token_id _wpnonce to%256ben".split(" "),
  ..."auth authorization oauth_token jwt bearer sid session session_id PHPSESSID ticket SAMLResponse %74oken".split(
    " ",
  ),
];

const openNames = [
  ..."q query page id lang country_code zipcode status_code version v sort order ref path file name keyword".split(" "),
  ..."keywords monkey turkey hockey sort_key sortKey order-key partition_key page_token nextPageToken sync_token".split(
    " ",
  ),
  ..."max_tokens tokenizer token_type key_size cookie_consent session_type passenger bypass sidebar side assign".split(
    " ",
  ),
  ..."signed zodiac_sign postcode barcode spin pins authors mapping tokyo credit stickers passive X-Amz-SignedHeaders".split(
    " ",
  ),
  ..."utm_source tab section hash date from to limit offset passage compass author design X-Amz-Date se sv".split(" "),
];

describe("the values of secret parameters", () => {
  for (const name of secretNames) {
    test(`${name} is replaced in the query, the fragment and the path`, () => {
      const shown = `https://a.example/p?x=1&${name}=***&y=2`;
      assert.equal(redactUrl(`https://a.example/p?x=1&${name}=s3cr%2Ft;more&y=2`), shown);
      assert.equal(redactUrl(`https://a.example/p#${name}=s3cret`), `https://a.example/p#${name}=***`);
      assert.equal(redactUrl(`https://a.example/p#/route?${name}=s3cret`), `https://a.example/p#/route?${name}=***`);
      assert.equal(redactUrl(`https://a.example/p;${name}=s3cret/q?x`), `https://a.example/p;${name}=***/q?x`);
      assert.equal(redactUrl(`https://a.example/?x=1;${name}=s3cret`), `https://a.example/?x=1;${name}=***`);
    });
  }

  test("are replaced in URLs inside of URLs, however often they are encoded", () => {
    let url = "https://b.example/x?token=s3cret";
    for (let depth = 0; depth < 4; depth++) {
      url = `https://a.example/?next=${encodeURIComponent(url)}`;
      assert.ok(!decodeURIComponent(redactUrl(url)).includes("s3cret"), url);
      assert.ok(redactUrl(url).includes("***"));
    }
  });

  test("are replaced however often the URL, or its place in a path, is encoded", () => {
    for (let encoded = "https://b.example/x?token=s3cret", level = 1; level <= 12; level++) {
      encoded = encodeURIComponent(encoded);
      for (const url of [`https://a.example/?next=${encoded}`, `https://a.example/get/${encoded}`]) {
        let shown = redactUrl(url);
        assert.ok(shown.includes("***"), url);
        for (let each = 0; each < 14; each++) shown = decodeURIComponent(shown);
        assert.ok(!shown.includes("s3cret"), url);
      }
    }
  });

  test("are replaced in JSON, plain, encoded and inside of JSON", () => {
    const values = [
      '{"access_token":"s3cret"}',
      '{"a":1,"user":{"password" : "s3cret, \'x"},"b":2}',
      '[{"token":["s3cret"]},{"token":{"of":"s3cret"}}]',
      "{token:'s3cret'}",
      '{"key":53213372}',
      JSON.stringify({ state: JSON.stringify({ next: 1, token: "s3cret" }) }),
    ];
    for (const value of values)
      for (const url of [`https://a.example/?state=${value}`, `https://a.example/#s=${encodeURIComponent(value)}`]) {
        const shown = decodeURIComponent(redactUrl(url));
        assert.ok(shown.includes("***") && !/s3cret|53213372/.test(shown), shown);
        assert.equal(redactUrl(redactUrl(url)), redactUrl(url));
      }
    const open = 'https://a.example/?filter={"page":2,"sort_key":"name","tokens":[1,2]}';
    assert.equal(redactUrl(open), open);
  });

  test("other parameters stay as they are written", () => {
    for (const name of openNames) {
      const url = `https://a.example/p;v=1/${name}=x?${name}=V%2fal+ue&b#${name}`;
      assert.equal(redactUrl(url), url);
    }
  });
});

test("user names and passwords are removed", () => {
  for (const url of ["https://me:word@a.example/p", "https://me@a.example/p", "https:\\\\me:word@a.example/p"]) {
    assert.ok(!/me|word/.test(redactUrl(url)), redactUrl(url));
  }
  assert.equal(redactUrl("https://a.example/@me"), "https://a.example/@me");
});

test("tokens of known forms are replaced wherever they are", () => {
  for (const token of [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "sk-proj-abcdefghijklmnop1234",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghijkl",
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
  ]) {
    for (const url of [
      `https://a.example/${token}/x`,
      `https://a.example/?a=${token}`,
      `https://a.example/#${token}`,
    ]) {
      assert.ok(!redactUrl(url).includes(token), url);
    }
  }
});

test("a plain address, a path and a word are not changed", () => {
  for (const text of ["https://a.example/a/b.html?q=x#part-2", "/home/me/notes.txt", "report.pdf", "-", ""]) {
    assert.equal(redactUrl(text), text);
    assert.equal(isRedacted(redactUrl(text)), false);
  }
});

test("no secret is left, what was replaced stays replaced, and the cost is linear", () => {
  const value = fc.stringMatching(/^[A-Za-z0-9._~%;:+-]{6,40}$/).filter((text) => !/^\*+$/.test(text));
  fc.assert(
    fc.property(
      fc.constantFrom(...secretNames),
      value,
      fc.webUrl({ withQueryParameters: true }),
      (name, secret, base) => {
        const url = `${base}${base.includes("?") ? "&" : "?"}${name}=SECRET${secret}`;
        const redacted = redactUrl(url);
        assert.ok(!redacted.includes("SECRET"), redacted);
        assert.equal(redactUrl(redacted), redacted);
        assert.ok(URL.canParse(redacted));
      },
    ),
  );
  const cpuMs = (length: number) => {
    const start = process.cpuUsage();
    redactUrl(
      `https://a.example/?${"a=1;".repeat(length)}${"%25".repeat(length)}&n=${"%2525".repeat(length)}&m=%${"25".repeat(length)}`,
    );
    redactUrl(`https://a.example/?a={${',"token":{"x'.repeat(length)}`);
    redactUrl(`https://a.example/?a={${",a: ".repeat(length)}${"%257B%22".repeat(length)}`);
    return process.cpuUsage(start).user / 1_000;
  };
  cpuMs(1_000);
  assert.ok(cpuMs(40_000) < 2_000);
});
