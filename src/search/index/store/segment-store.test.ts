import { join } from "node:path";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { diskStorage, memoryStorage } from "../../../artifacts/storage.ts";
import { segmentStoreContract } from "./segment-store.contract.ts";

segmentStoreContract("memory", async () => ({ ...memoryStorage(), [Symbol.asyncDispose]: async () => undefined }));

segmentStoreContract("files", async () => {
  const folder = await makeTemporaryFolder();
  const storage = diskStorage(join(folder.path, "home"));
  return {
    ...storage,
    async [Symbol.asyncDispose]() {
      await storage.catalogue.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});
