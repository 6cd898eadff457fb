/** Which modules of the published package are one file: loading eight small files takes 5 ms more than loading one. */
import type { Plugin } from "rolldown";

/** A group takes the modules that its test names, and all that they import and no group before it has taken. */
type ChunkGroup = { readonly name: string; readonly test: RegExp | ((id: string) => boolean) };

/** A plugin that learns what imports what, and the groups that are made from it. */
export function groupChunks(): { readonly plugin: Plugin; readonly groups: ChunkGroup[] } {
  const imports = new Map<string, readonly string[]>();
  const engines = new Set<string>();
  let shared: ReadonlySet<string> | undefined;

  function reach(starts: Iterable<string>): Set<string> {
    const reached = new Set(starts);
    for (const id of reached) for (const imported of imports.get(id) ?? []) reached.add(imported);
    return reached;
  }

  /** What both a command and the children that parse documents load. Children must not load the rest of a command. */
  function findShared(): ReadonlySet<string> {
    const commandFiles = [...imports.keys()].filter((id) => [sessionFiles, fetchFile].some((files) => files.test(id)));
    const ofCommands = reach(commandFiles);
    return new Set([...reach(engines)].filter((id) => ofCommands.has(id)));
  }

  return {
    plugin: {
      name: "group-chunks",
      moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
        imports.set(id, importedIds);
        if (childProgram.test(id)) for (const engine of dynamicallyImportedIds) engines.add(engine);
      },
    },
    groups: [
      { name: "base", test: /src\/(?:errors|version|system\/safe-names)\.ts$|usingCtx/ },
      { name: "start", test: /src\/surfaces\/cli\/(?:main|commands|help|output)\.ts$/ },
      {
        name: "shared",
        test(id) {
          shared ??= findShared();
          return shared.has(id);
        },
      },
      { name: "session", test: sessionFiles },
      { name: "command", test: /src\/surfaces\/cli\/(?:arguments|listing|options|progress-line)\.ts$/ },
      { name: "sweeper", test: /src\/artifacts\/sweeper\.ts$/ },
      { name: "fetch", test: fetchFile },
    ],
  };
}

const childProgram = /src\/extract\/child-program\.ts$/;
/** The last three are what commands have in common with fetches: the library must not load anything of commands. */
const sessionFiles = /src\/(?:session\/session|config\/load-config|verbs\/sweep|answer\/phrases|extract\/handler)\.ts$/;
const fetchFile = /src\/verbs\/fetch\.ts$/;
