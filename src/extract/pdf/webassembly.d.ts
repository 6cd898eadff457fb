/** The WebAssembly types used here; the full types are part of the DOM library, which this project does not load. */
declare namespace WebAssembly {
  class RuntimeError extends Error {}
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number });
    grow(pages: number): number;
    readonly buffer: ArrayBuffer;
  }
}
