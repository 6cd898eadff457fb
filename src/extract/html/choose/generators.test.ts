import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const sentence = "The pilot of the harbour steers long ships through narrow waters, and writes down what he saw.";
const post = (what: string): string => `${what}: ${sentence}`;
const generator = (name: string): string => `<head><meta name="generator" content="${name}"></head>`;
const gitHub = (path: string): string =>
  `<head><meta property="og:site_name" content="GitHub"><meta property="og:url" content="https://github.com/${path}"></head>`;

/** Pages in the markup of known programs, and their Markdown. */
const pages: readonly { name: string; html: string; markdown: string }[] = [
  {
    name: "a manual by Docusaurus: tabs, code with a title, no contents",
    html: `${generator("Docusaurus v3.5.2")}<body><div id="__docusaurus"><nav class="navbar"><a href="/">Lamp</a></nav>
      <main><article><nav class="theme-doc-breadcrumbs"><a href="/">Home</a></nav><div class="theme-doc-markdown markdown">
      <header><h1>Options</h1></header><p>${post("all")}</p>
      <ul role="tablist" class="tabs"><li role="tab" class="tabs__item">npm</li><li role="tab" class="tabs__item">Yarn</li></ul>
      <div role="tabpanel"><div class="language-bash codeBlockContainer_a theme-code-block"><pre class="prism-code language-bash"><code><span class="token-line">npm add lamp<br></span></code></pre><button>Copy</button></div></div>
      <div role="tabpanel" hidden><div class="language-bash codeBlockContainer_a theme-code-block"><pre class="prism-code language-bash"><code><span class="token-line">yarn add lamp<br></span></code></pre></div></div>
      </div></article></main><div class="theme-doc-toc-desktop"><ul class="table-of-contents"><li><a href="#a">All</a></li></ul></div></div>`,
    markdown: `# Options\n\n${post("all")}\n\n- npm\n- Yarn\n\n\`\`\`bash\nnpm add lamp\n\`\`\`\n\n\`\`\`bash\nyarn add lamp\n\`\`\``,
  },
  {
    name: "a manual by MkDocs: labels of tabs, short code in steps",
    html: `${generator("mkdocs-1.6.0, mkdocs-material-9.5")}<body><main class="md-main"><div class="md-sidebar"><nav class="md-nav"><a href=".">Home</a></nav></div>
      <article class="md-content__inner md-typeset"><h1>Beam<a class="headerlink" href="#beam">¶</a></h1><p>${post("all")}</p>
      <div class="tabbed-set"><div class="tabbed-labels"><label for="a">C</label><label for="b">Rust</label></div></div>
      <ol><li><p>First:</p><div class="language-console highlight"><pre><span></span><code>lamp on\n</code></pre></div></li></ol></article></main>`,
    markdown: `# Beam\n\n${post("all")}\n\nC Rust\n\n1. First:\n\n   \`\`\`console\n   lamp on\n   \`\`\``,
  },
  {
    name: "a class by Javadoc: its lists are sections",
    html: `<body><main><div class="header"><h1 class="title">Class Lamp</h1></div><div class="block">${post("all")}</div>
      <ul class="details-list"><li><section class="method-details"><h2>Method Details</h2><ul class="member-list"><li><section class="detail"><h3>close</h3>
      <div class="member-signature"><span class="modifiers">public</span>&nbsp;<span class="return-type">void</span>&nbsp;close()</div><div class="block">${post("close")}</div></section></li></ul></section></li></ul></main>`,
    markdown: `# Class Lamp\n\n${post("all")}\n\n## Method Details\n\n### close\n\npublic void close()\n\n${post("close")}`,
  },
  {
    name: "a type by rustdoc: no buttons, no links to the source",
    html: `${generator("rustdoc")}<body><nav class="sidebar"><h2><a href="#">Lamp</a></h2></nav><main><section id="main-content"><div class="main-heading"><h1>Struct <span class="struct">Lamp</span><button>Copy item path</button></h1>
      <span class="out-of-band"><a class="src" href="s">Source</a> · <button>Expand description</button></span></div><pre class="rust item-decl"><code>pub struct Lamp;</code></pre>
      <details class="toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary><div class="docblock"><p>${post("all")}</p></div></details>
      <details open><summary><section class="method"><a class="src" href="s">Source</a><h4 class="code-header">pub fn <a href="#new">new</a>()</h4></section></summary><div class="docblock"><p>${post("new")}</p></div></details></section></main>`,
    markdown: `# Struct Lamp\n\n\`\`\`rust\npub struct Lamp;\n\`\`\`\n\n${post("all")}\n\n#### pub fn new()\n\n${post("new")}`,
  },
  {
    name: "a package of Go: examples keep their name",
    html: `<body><main><article><h1>lamp</h1><p>${post("all")}</p><details class="Documentation-exampleDetails"><summary class="Documentation-exampleDetailsHeader">Example <a href="#e">¶</a></summary>
      <div class="Documentation-exampleDetailsBody"><pre class="Documentation-exampleCode">lamp.On(3)</pre></div></details></article></main>`,
    markdown: `# lamp\n\n${post("all")}\n\nExample\n\n\`\`\`\nlamp.On(3)\n\`\`\``,
  },
  {
    name: "a topic of Discourse: the author, and who is quoted",
    html: `${generator("Discourse 3.4.0")}<body class="crawler"><div id="main-outlet" role="main"><h1><a href="/t/12">Lamp is dark</a></h1>
      <div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="/u/ann">ann</a></span><span class="crawler-post-infos"><time>January 2</time><span>1</span></span></div><div class="post"><p>${post("dark")}</p><p>${post("very dark")}</p><pre><code class="lang-auto">no oil</code></pre></div><span class="post-likes">3 Likes</span></div>
      <div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="/u/bob">bob</a></span><span class="crawler-post-infos"><time>January 3</time></span></div><div class="post"><aside class="quote"><div class="title">ann:</div><blockquote><p>no oil</p></blockquote></aside><p>Fill it.</p></div></div>
      <div class="more-topics__list"><h3>Related topics</h3><a href="/t/3">Oil</a></div></div>`,
    markdown: `# Lamp is dark\n\nann January 2 1\n\n${post("dark")}\n\n${post("very dark")}\n\n\`\`\`\nno oil\n\`\`\`\n\nbob January 3\n\n> ann:\n>\n> > no oil\n\nFill it.`,
  },
  {
    name: "comments in tables, without their arrows",
    html: `<body><center><table id="hnmain"><tr><td><span class="pagetop"><a href="news">News</a></span></td></tr><tr><td><table class="fatitem"><tr><td class="title"></td><td class="votelinks"><a href="vote"></a></td><td class="title"><a href="https://lamp.example/">A lamp</a></td></tr><tr><td colspan="2"></td><td class="subtext">120 points by <a href="user?id=ada">ada</a></td></tr></table>
      <table class="comment-tree"><tr><td><table><tr><td class="votelinks"></td><td><div><a href="user?id=bob">bob</a> <span class="navs"><a href="#3">next</a></span></div><div class="comment">${post("bob")}<p>${post("more")}</div><div class="reply"><a href="reply">reply</a></div></td></tr></table></td></tr></table></td></tr></table></center>`,
    markdown: `[A lamp](https://lamp.example/)\n\n120 points by ada\n\nbob\n\n${post("bob")}\n\n${post("more")}`,
  },
  {
    name: "a question of Stack Exchange: authors, no counters",
    html: `<body class="question-page"><div id="content"><div id="question-header"><h1><a href="/q/1">How to light?</a></h1><div class="aside-cta"><a href="/ask">Ask Question</a></div></div>
      <div id="question"><div class="js-voting-container"><div class="js-vote-count">19</div></div><div class="s-prose js-post-body"><p>${post("question")}</p></div><div class="post-taglist"><ul><li><a href="/t">oil</a></li></ul></div>
      <ul class="comments-list"><li><span class="comment-copy">Which lamp?</span> <div class="d-none">Cid</div>– <a href="/u/3">Cid</a></li></ul><a class="js-add-link comments-link">Add a comment</a></div>
      <div id="answers"><h2>1 Answer</h2><div class="answer"><div class="js-voting-container">7</div><div class="js-post-body"><p>${post("answer")}</p></div><div class="post-signature"><div class="user-action-time">answered Mar 26</div><div class="user-details"><a href="/u/2">bob</a><div class="-flair">135k</div></div></div></div></div>
      <form id="post-form"><h2>Your Answer</h2><p>${post("legal")}</p></form></div>`,
    markdown: `# How to light?\n\n${post("question")}\n\n- Which lamp? – Cid\n\n## 1 Answer\n\n${post("answer")}\n\nanswered Mar 26\n\nbob`,
  },
  {
    name: "a thread on GitHub: each post with its author",
    html: `${gitHub("ada/lamp/discussions/7")}<body><main><div class="gh-header-show"><h1 class="gh-header-title"><bdi class="HeaderTitle">How to light?</bdi> <span>#7</span></h1><div class="gh-header-actions"><a href="/login">New</a></div></div>
      <div class="timeline-comment"><div class="timeline-comment-header"><h3><a class="author" href="/ann">ann</a> <relative-time>on Jan 2</relative-time></h3><div class="timeline-comment-actions">Show options</div></div><table><tr><td class="comment-body markdown-body"><p>${post("question")}</p></td></tr></table><div class="comment-reactions">3</div></div>
      <div class="timeline-comment"><div class="timeline-comment-header"><h3><a class="author" href="/bob">bob</a> <relative-time>on Jan 3</relative-time></h3></div><div class="comment-body"><p>Press it. ${post("answer")}</p></div></div>
      <div data-testid="issue-viewer-metadata-pane"><h2>Metadata</h2><h3>Assignees</h3>No one</div><div class="Layout-sidebar">Labels</div></main>`,
    markdown: `# How to light? #7\n\n### [ann](/ann) on Jan 2\n\n${post("question")}\n\n### [bob](/bob) on Jan 3\n\nPress it. ${post("answer")}`,
  },
  {
    name: "a file on GitHub: the document, not the sidebar",
    html: `${gitHub("ada/lamp")}<body><main><article class="markdown-body entry-content"><div class="markdown-heading"><h1>lamp</h1><a class="anchor" href="#lamp"></a></div><p>${post("all")}</p><p>${post("some")}</p>
      <div class="highlight highlight-source-shell"><pre>npm add lamp</pre><div class="zeroclipboard-container"><clipboard-copy></clipboard-copy></div></div><div class="markdown-alert"><p class="markdown-alert-title">Note</p><p>Needs oil.</p></div></article>
      <div class="Layout-sidebar"><div class="BorderGrid"><h2>About</h2><p>${post("about")}</p></div></div></main>`,
    markdown: `# lamp\n\n${post("all")}\n\n${post("some")}\n\n\`\`\`shell\nnpm add lamp\n\`\`\`\n\nNote\n\nNeeds oil.`,
  },
];

describe("pages of known programs:", () => {
  for (const { name, html, markdown } of pages)
    test(name, () => assert.equal(extractHtml(html, { mode: "markdown" }).text, markdown));
});
