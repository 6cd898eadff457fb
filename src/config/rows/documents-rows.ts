/** How documents are read in child processes: limits, recognition of text in pictures, and the browser. */
import { GiB, hour, MiB, minute, type SettingRow, second } from "./setting-row.ts";

export const documentsRows = {
  "extract.chars": {
    type: "integer",
    default: 50_000_000,
    min: 100_000,
    scope: "project may lower",
    about: "Characters extracted from one source by one call; a later read continues from there.",
  },
  "extract.fetch_chars": {
    type: "integer",
    default: 2_000_000,
    min: 1_000,
    scope: "project may lower",
    about:
      "Characters a fetch extracts from a document with pages (a PDF, ...), and more if it shows more; later reads extract the rest.",
  },
  "extract.memory_bytes": {
    type: "bytes",
    default: 512 * MiB,
    min: 128 * MiB,
    scope: "project may lower",
    about: "Memory the parser of one file may use. A file that needs more is answered without text.",
  },
  "extract.cpu": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 10 * minute,
    scope: "project may lower",
    about: "CPU time the parser of one file may use.",
  },
  "extract.wall": {
    type: "duration",
    default: 2 * minute,
    min: 1 * second,
    ceiling: 1 * hour,
    scope: "project may lower",
    about: "Wall time the parser of one file may use.",
  },
  "extract.children": {
    type: "integer",
    default: 2,
    min: 1,
    ceiling: 32,
    scope: "project may lower",
    about: "Files parsed at the same time, each in its own process.",
  },
  "ocr.languages": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Languages in which text in scanned pages and images is recognised, such as eng,deu. Needs the packages " +
      "tesseract.js-core and @tesseract.js-data/<language>. Default: none, OCR is off.",
  },
  "ocr.packages": {
    type: "path",
    default: null,
    scope: "user",
    about: "Folder in whose node_modules the packages for OCR are. Default: where Spillway is installed.",
  },
  "ocr.page_cpu": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 10 * minute,
    scope: "user",
    about: "CPU time for recognising the text of one page or image.",
  },
  "ocr.time": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 1 * hour,
    scope: "user",
    about: "Time one call spends on OCR, to the end of the page at work; a later read continues with the next page.",
  },
  "image.location": {
    type: "choice",
    default: "hide",
    choices: ["hide", "show"],
    scope: "user",
    about: "Whether the place where a photo was taken is in its text, as latitude, longitude and altitude.",
  },
  "render.chromium": {
    type: "path",
    default: null,
    scope: "user",
    about:
      "Path of a Chromium that runs the scripts of pages without text of their own. Default: none, scripts are not run.",
  },
  "render.sandbox": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    scope: "user",
    about: "Whether that browser uses its sandbox. Set off only if it must run as root inside a container.",
  },
  "render.memory_bytes": {
    type: "bytes",
    default: 1 * GiB,
    min: 512 * MiB,
    scope: "user",
    about:
      "Memory that browser may use for one page, all its processes together. A page that needs more is not rendered.",
  },
  "render.wait": {
    type: "duration",
    default: 10 * second,
    min: second,
    ceiling: 2 * minute,
    scope: "user",
    about: "How long a page's scripts may run before its text is read.",
  },
} as const satisfies Record<string, SettingRow>;
