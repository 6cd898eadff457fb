/** What of WebAssembly is used here; its full types come only with a browser's library, which this project does not load. */
declare namespace WebAssembly {
  class RuntimeError extends Error {}
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number });
    grow(pages: number): number;
    readonly buffer: ArrayBuffer;
  }
}
