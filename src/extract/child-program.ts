/** The program of a child process: all engines, each loaded on first use. */
import { serveEngines } from "./pool/child-loop.ts";

serveEngines({
  pdfium: async () => (await import("./pdf/pdf-engine.ts")).pdfium,
  html: async () => (await import("./html/html-engine.ts")).htmlEngine,
  archive: async () => (await import("./archive/archive-engine.ts")).archiveEngine,
  database: async () => (await import("./database/database-engine.ts")).databaseEngine,
  epub: async () => (await import("./epub/epub-engine.ts")).epubEngine,
  iwork: async () => (await import("./iwork/iwork-engine.ts")).iworkEngine,
  legacy: async () => (await import("./legacy/legacy-engine.ts")).legacyEngine,
  mail: async () => (await import("./mail/mail-engine.ts")).mailEngine,
  notebook: async () => (await import("./notebook/notebook-engine.ts")).notebookEngine,
  ocr: async () => (await import("./ocr/ocr-engine.ts")).ocrEngine,
  office: async () => (await import("./office/office-engine.ts")).officeEngine,
  pdfjs: async () => (await import("./pdf/pdf-engine.ts")).pdfjs,
  scan: async () => (await import("./pdf/scan-engine.ts")).scanEngine,
});
