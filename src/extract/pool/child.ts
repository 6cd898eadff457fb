/** The program a child runs: every engine, each loaded when it is first asked for. */
import { serveEngines } from "./child-loop.ts";

serveEngines({
  pdfium: async () => (await import("../pdf/pdf-engine.ts")).pdfium,
  html: async () => (await import("../html/html-engine.ts")).html,
  pdfjs: async () => (await import("../pdf/pdf-engine.ts")).pdfjs,
});
