/** The program a child runs: every engine, each loaded when it is first asked for. */
import { serveEngines } from "./serve.ts";

serveEngines({
  pdfium: async () => (await import("../pdf/engine.ts")).pdfium,
  html: async () => (await import("../html/engine.ts")).html,
  pdfjs: async () => (await import("../pdf/engine.ts")).pdfjs,
});
