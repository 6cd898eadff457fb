/** The program of a child process: all engines, each loaded on first use. */
import { serveEngines } from "./pool/child-loop.ts";

serveEngines({
  pdfium: async () => (await import("./pdf/pdf-engine.ts")).pdfium,
  html: async () => (await import("./html/html-engine.ts")).htmlEngine,
  office: async () => (await import("./office/office-engine.ts")).officeEngine,
  pdfjs: async () => (await import("./pdf/pdf-engine.ts")).pdfjs,
});
