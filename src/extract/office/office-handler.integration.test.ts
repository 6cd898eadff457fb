import { formats, packages } from "../../../test/office-samples.ts";
import { officeTypes } from "../../../test/office-text.ts";
import { handlerContract } from "../handler.contract.ts";
import { office } from "./office-handler.ts";

handlerContract(office, [
  ...formats.map((format) => ({
    name: format,
    bytes: packages[format],
    kind: "office_doc" as const,
    mediaType: officeTypes[format],
  })),
  {
    name: "a damaged package",
    bytes: packages.docx.subarray(0, 300),
    kind: "office_doc",
    mediaType: officeTypes.docx,
  },
]);
