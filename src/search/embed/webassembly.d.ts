/** The part of WebAssembly used here; its full types are in the DOM library, which this project does not load. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
