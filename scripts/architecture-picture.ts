/** Draws docs/images/architecture.svg: who asks, the steps that every source takes, and what is kept. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

type Box = { readonly title: string; readonly about: readonly string[] };

const surfaces: readonly Box[] = [
  { title: "command line", about: ["people, scripts"] },
  { title: "MCP", about: ["coding agents"] },
  { title: "serve", about: ["a team, over HTTP"] },
  { title: "library, AI SDK", about: ["your own loop"] },
  { title: "gateway", about: ["other MCP servers"] },
  { title: "proxy, with, run", about: ["models' providers"] },
];

const steps: readonly Box[] = [
  { title: "acquire", about: ["URL, file, stdin,", "behind a guard"] },
  { title: "detect", about: ["by its bytes,", "not its name"] },
  { title: "keep", about: ["all bytes,", "before a ref"] },
  { title: "extract", about: ["in a child", "process"] },
  { title: "fit", about: ["within the", "budget"] },
  { title: "answer", about: ["what was cut,", "how to read on"] },
];

const stores: readonly Box[] = [
  { title: "catalogue", about: ["SQLite or PostgreSQL: records, uses, leases"] },
  { title: "objects", about: ["files or S3: blobs, extracts, index segments"] },
  { title: "events", about: ["decisions and sizes, never content"] },
];

const WIDTH = 960;
const MARGIN = 20;
const GAP = 14;

export function drawArchitecture(): string {
  const parts = [
    ...drawLabel("Who asks", 30),
    ...drawRow(surfaces, { top: 44, height: 64, style: "surface" }),
    ...drawLabel("What happens to every source", 160),
    ...drawRow(steps, { top: 174, height: 84, style: "step", arrows: true }),
    ...drawLabel("What is kept: read it again by page, section, line or question", 310),
    ...drawRow(stores, { top: 324, height: 64, style: "store" }),
    arrow(WIDTH / 2, 112, WIDTH / 2, 140),
    arrow(columnCenter(steps.length, 2), 262, columnCenter(steps.length, 2), 290),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} 404" width="${WIDTH}" height="404" role="img" aria-label="${label}">
<style>${style}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="403" rx="10"/>
${parts.join("\n")}
</svg>
`;
}

const label =
  "Surfaces (command line, MCP, serve, library, gateway, proxy) call six steps: acquire, detect, keep, extract, fit, answer. " +
  "Keep writes to the store: catalogue, objects, events.";

/** Readable on a light and on a dark page; the colours follow the reader's choice. */
const style = `
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.label, .about { fill: #57606a; }
.about { font-size: 12px; }
.title { font-weight: 700; }
.page { fill: #ffffff; stroke: #d0d7de; }
.surface { fill: #eef4fb; stroke: #9db9d8; }
.step { fill: #f3f8ee; stroke: #a9c48d; }
.store { fill: #faf4ea; stroke: #d3b583; }
.arrow { stroke: #57606a; stroke-width: 1.5; }
marker path { fill: #57606a; }
@media (prefers-color-scheme: dark) {
text { fill: #d7dde4; }
.label, .about { fill: #a5b0bc; }
.page { fill: #10151c; stroke: #3a434e; }
.surface { fill: #16263a; stroke: #3f648c; }
.step { fill: #1c2a16; stroke: #547a3a; }
.store { fill: #2e2515; stroke: #8a6a34; }
.arrow { stroke: #a5b0bc; }
marker path { fill: #a5b0bc; }
}
`;

const columnWidth = (count: number): number => (WIDTH - 2 * MARGIN - (count - 1) * GAP) / count;

const columnCenter = (count: number, index: number): number =>
  round(MARGIN + index * (columnWidth(count) + GAP) + columnWidth(count) / 2);

type Row = { readonly top: number; readonly height: number; readonly style: string; readonly arrows?: true };

function drawRow(boxes: readonly Box[], { top, height, style: name, arrows }: Row): string[] {
  const width = round(columnWidth(boxes.length));
  return boxes.flatMap(({ title, about }, index) => {
    const center = columnCenter(boxes.length, index);
    const left = round(center - width / 2);
    return [
      `<rect class="${name}" x="${left}" y="${top}" width="${width}" height="${height}" rx="8"/>`,
      `<text class="title" x="${center}" y="${top + 26}" text-anchor="middle">${title}</text>`,
      ...about.map(
        (line, row) =>
          `<text class="about" x="${center}" y="${top + 46 + row * 17}" text-anchor="middle">${line}</text>`,
      ),
      ...(arrows && index > 0 ? [arrow(left - GAP, top + height / 2, left, top + height / 2)] : []),
    ];
  });
}

const drawLabel = (text: string, top: number): string[] => [
  `<text class="label" x="${MARGIN}" y="${top}">${text}</text>`,
];

const arrow = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line class="arrow" x1="${round(x1)}" y1="${y1}" x2="${round(x2)}" y2="${y2}" marker-end="url(#head)"/>`;

const round = (value: number): number => Math.round(value * 10) / 10;

if (import.meta.main)
  await writeFile(join(import.meta.dirname, "..", "docs", "images", "architecture.svg"), drawArchitecture());
