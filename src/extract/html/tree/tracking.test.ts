import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { withoutTracking } from "./tracking.ts";

const clean = (address: string): string => withoutTracking(new URL(address)).href;
const lamp = "https://lamp.example/x";

describe("parameters that track readers are removed", () => {
  const tracked = [
    [`${lamp}?utm_source=a&id=7&fbclid=zz&mc_cid=1`, `${lamp}?id=7`],
    [
      "https://www.amazon.co.uk/dp/B01?linkCode=ll1&linkId=ab&hvadid=5&ref_=as&th=1",
      "https://www.amazon.co.uk/dp/B01?th=1",
    ],
    [
      "https://www.amazon.com/dp/B01?crid=1A&dib=e.Y&dib_tag=se&qid=17&sr=8-1&tag=x-20&pd_rd_w=a&psc=1",
      "https://www.amazon.com/dp/B01?psc=1",
    ],
    [
      "https://www.amazon.de/Wind-Lamp/dp/B0F7Z4QZTT/ref=zg_bs_6/142-90-54?keywords=lamp&psc=1",
      "https://www.amazon.de/dp/B0F7Z4QZTT?psc=1",
    ],
    ["https://www.amazon.com/Best-Sellers/zgbs/ref=zg_bs_unv_0_1", "https://www.amazon.com/Best-Sellers/zgbs"],
    ["https://youtu.be/pxoJX55hVSs?si=aB3&t=42", "https://youtu.be/pxoJX55hVSs?t=42"],
    [`${lamp}?t=4&sid=e1852c74950c6b5cca1c90497254a5f2`, `${lamp}?t=4`],
    [`${lamp};jsessionid=0A1B.node2?id=7`, `${lamp}?id=7`],
    ["https://www.aliexpress.com/item/1.html?spm=a2g0o", "https://www.aliexpress.com/item/1.html"],
    ["https://www.linkedin.com/in/ada?trk=people", "https://www.linkedin.com/in/ada"],
    ["https://twitter.com/ada/status/1?ref_src=twsrc", "https://twitter.com/ada/status/1"],
    [`${lamp}?hsLang=en&id=7`, `${lamp}?id=7`],
  ] as const;
  for (const [address, expected] of tracked) test(address, () => assert.equal(clean(address), expected));

  test("and the others keep their form", () => {
    assert.equal(clean(`${lamp}?q=%20a+b&flag&utm_medium=b&c=(1)`), `${lamp}?q=%20a+b&flag&c=(1)`);
  });
});

describe("a page that its site finds by a number has an address without its name", () => {
  const named = [
    ["https://www.reddit.com/r/lamps/comments/1abcde/wind_lamp/", "https://www.reddit.com/r/lamps/comments/1abcde"],
    ["https://superuser.com/questions/1110045/wind-lamp", "https://superuser.com/questions/1110045"],
  ] as const;
  for (const [address, expected] of named) test(address, () => assert.equal(clean(address), expected));

  const others = [
    "https://lamp.example/ip/Wind-Lamp/575389962",
    "https://stackoverflow.com/questions/1110045/wind-lamp/1110046#1110046",
    "https://stackoverflow.com/questions/tagged/lamp",
    "https://www.reddit.com/r/lamps/comments/1abcde/wind_lamp/k9x2/",
    "https://www.reddit.com/r/lamps/comments/1abcde/.json",
    "https://www.reddit.com/r/lamps/comments/1abcde/wind_lamp.rss",
    "https://api.stackexchange.com/questions/1110045/answers",
    "https://maps.example/tile.png?zoom=4",
  ];
  for (const address of others) test(`not ${address}`, () => assert.equal(clean(address), address));
});

test("works of science have the short address of their service", () => {
  const pubMed =
    "https://www.ncbi.nlm.nih.gov/entrez/query.fcgi?cmd=Retrieve&db=PubMed&list_uids=21186446&dopt=Abstract";
  assert.equal(clean(pubMed), "https://pubmed.ncbi.nlm.nih.gov/21186446/");
  assert.equal(clean(pubMed.replace("PubMed", "gene")), pubMed.replace("PubMed", "gene"));
  assert.equal(clean("https://dx.doi.org/10.1000/182"), "https://doi.org/10.1000/182");
});

test("the size of an image is not part of its address, unless it may be signed", () => {
  assert.equal(
    clean("https://i0.wp.com/lamp.example/a.jpg?resize=800%2C600&ssl=1"),
    "https://i0.wp.com/lamp.example/a.jpg",
  );
  for (const kept of ["a.jpg?w=800&s=0a1b", "a.php?w=800", "a.jpg?id=7"])
    assert.equal(clean(`https://lamp.example/${kept}`), `https://lamp.example/${kept}`);
});

test("what a browser would highlight is not part of an address", () => {
  assert.equal(clean(`${lamp}#:~:text=a%20lamp,lit`), lamp);
  assert.equal(clean(`${lamp}#wick:~:text=lit`), `${lamp}#wick`);
  assert.equal(clean(`${lamp}#/a:b`), `${lamp}#/a:b`);
});

describe("parameters that name a page are kept", () => {
  const kept = [
    "https://go.microsoft.com/fwlink/?linkid=2185535",
    "https://shop.example/x?hvalue=3&trk=5&spm=a&ref_=z&snr=2&sref=b&cmpid=4",
    "https://media.example/track?trk=12345",
    "https://www.amazon.com/s?keywords=usb+cable&rh=n1",
    "https://aws.amazon.com/blogs/aws/?tag=ec2",
    "https://docs.aws.amazon.com/x/dp/ABCDEFGHIJ/more.html",
    "https://notamazon.example/x?linkid=1&tag=lamps&sr=1",
    "https://amazon.com.lamp.example/x?linkid=1",
    "https://lamp.example/wick/dp/B0F7Z4QZTT/ref=a?keywords=b",
    "https://lamp.example/x?sid=42&s=e1852c74950c6b5cca1c90497254a5f2",
    "https://lamp.example/a;b=1/c",
  ];
  for (const address of kept) test(address, () => assert.equal(clean(address), address));
});

describe("known redirects are replaced by where they lead:", () => {
  const target = encodeURIComponent(`${lamp}?utm_source=a&id=7`);
  const redirects = [
    `https://www.google.com/url?sa=D&q=${target}`,
    `https://www.google.co.uk/url?url=${target}`,
    `https://www.youtube.com/redirect?event=video&q=${target}`,
    `https://l.facebook.com/l.php?u=${target}&h=AT0`,
    `https://l.instagram.com/?u=${target}&e=AT0`,
    `https://www.linkedin.com/redir/redirect?url=${target}&urlhash=a`,
    `https://out.reddit.com/t3_1?url=${target}&token=a`,
    `https://t.umblr.com/redirect?z=${target}&t=a`,
    `https://steamcommunity.com/linkfilter/?url=${target}`,
    `https://vk.com/away.php?to=${target}`,
    `https://link.zhihu.com/?target=${target}`,
    `https://duckduckgo.com/l/?kh=-1&uddg=${target}`,
    `https://slack-redir.net/link?url=${target}`,
    `https://eur01.safelinks.protection.outlook.com/?url=${target}&data=05`,
    `https://outgoing.prod.mozaws.net/v1/0a1b/${target}`,
    `https://go.skimresources.com/?id=1&url=${target}`,
    `https://redirect.viglink.com/?key=1&u=${target}`,
    `https://click.linksynergy.com/deeplink?id=1&murl=${target}`,
    `https://www.awin1.com/cread.php?awinmid=1&ued=${target}`,
    `https://shop.pxf.example/c/3076275/1448521/17195?subId1=a&u=${target}`,
    `https://shop.rockporch.com/mlink/904?userId=1&redirectUrl=${target}`,
    `https://www.jdoqocy.com/click-100543824-13720150?url=${target}&sid=a`,
    `https://www.avantlink.com/click.php?tt=cl&url=${target}`,
    `https://c212.net/c/link/?t=0&u=${encodeURIComponent(`https://c212.net/c/link/?t=1&u=${target}`)}`,
  ];
  for (const address of redirects) test(new URL(address).hostname, () => assert.equal(clean(address), `${lamp}?id=7`));

  test("also if it is encoded twice", () => {
    const address = `https://rei.example/c/3076275/1448521/17195?u=${encodeURIComponent(target)}`;
    assert.equal(clean(address), `${lamp}?id=7`);
  });
});

describe("other addresses that contain one are kept:", () => {
  const kept = [
    "https://pkg.go.dev/search?q=https://github.com/foo/bar",
    "https://tools.example/link-checker?url=https://example.org/page",
    "https://web.archive.org/url/save?url=https://example.org/old",
    "https://www.google.com/search?q=https://lamp.example/x",
    "https://go.counter.example/?url=https://lamp.example/x",
    "https://www.google.com/url?q=lamp",
    "https://www.google.com/url?q=javascript:alert(1)",
    "https://outgoing.prod.mozaws.net/v1/0a1b/%E0%A4%A",
  ];
  for (const address of kept) test(address, () => assert.equal(clean(address), address));
});
