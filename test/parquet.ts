/** Writes small Parquet files for tests: required columns of numbers and texts, one page each, not compressed. */

/** A column of whole numbers or of texts. */
export type ParquetColumn = { readonly name: string; readonly values: readonly number[] | readonly string[] };

type ParquetOptions = {
  readonly codec?: number;
  readonly rows?: number;
  /** The unpacked size that a page states, and its packed bytes, where they are not those of the values. */
  readonly claimedPageBytes?: number;
  readonly pageBytes?: Buffer;
};

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];
const [PHYSICAL_INT32, PHYSICAL_BYTES, CONVERTED_UTF8] = [1, 6, 0];

export function makeParquet(
  columns: readonly ParquetColumn[],
  { codec = 0, rows = columns[0]?.values.length ?? 0, ...pageOptions }: ParquetOptions = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from("PAR1")];
  const chunks = columns.map(({ name, values }) => {
    const offset = Buffer.concat(parts).length;
    const page = makePage(values, pageOptions);
    parts.push(page);
    const isText = typeof values[0] === "string";
    const facts = struct([
      [1, I32, int(isText ? PHYSICAL_BYTES : PHYSICAL_INT32)],
      [2, LIST, list(I32, [int(0)])],
      [3, LIST, list(BINARY, [text(name)])],
      [4, I32, int(codec)],
      [5, I64, int(values.length)],
      [6, I64, int(page.length)],
      [7, I64, int(page.length)],
      [9, I64, int(offset)],
    ]);
    return struct([
      [2, I64, int(offset)],
      [3, STRUCT, facts],
    ]);
  });
  const schema = [
    struct([
      [4, BINARY, text("schema")],
      [5, I32, int(columns.length)],
    ]),
    ...columns.map(({ name, values }) =>
      struct([
        [1, I32, int(typeof values[0] === "string" ? PHYSICAL_BYTES : PHYSICAL_INT32)],
        [3, I32, int(0)],
        [4, BINARY, text(name)],
        ...(typeof values[0] === "string" ? [[6, I32, int(CONVERTED_UTF8)] as const] : []),
      ]),
    ),
  ];
  const group = struct([
    [1, LIST, list(STRUCT, chunks)],
    [2, I64, int(1_000)],
    [3, I64, int(rows)],
  ]);
  const metadata = struct([
    [1, I32, int(1)],
    [2, LIST, list(STRUCT, schema)],
    [3, I64, int(rows)],
    [4, LIST, list(STRUCT, [group])],
    [6, BINARY, text("a test")],
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([...parts, metadata, length, Buffer.from("PAR1")]);
}

function makePage(values: readonly (number | string)[], { claimedPageBytes, pageBytes }: ParquetOptions): Buffer {
  const data =
    pageBytes ??
    Buffer.concat(
      values.map((value) => {
        const bytes = typeof value === "string" ? Buffer.from(value) : Buffer.alloc(0);
        const number = Buffer.alloc(4);
        number.writeInt32LE(typeof value === "string" ? bytes.length : value);
        return Buffer.concat([number, bytes]);
      }),
    );
  const dataPage = struct([
    [1, I32, int(values.length)],
    [2, I32, int(0)],
    [3, I32, int(3)],
    [4, I32, int(3)],
  ]);
  const header = struct([
    [1, I32, int(0)],
    [2, I32, int(claimedPageBytes ?? data.length)],
    [3, I32, int(data.length)],
    [5, STRUCT, dataPage],
  ]);
  return Buffer.concat([header, data]);
}

type Field = readonly [id: number, type: number, value: Buffer];

/** A structure of the compact Thrift protocol: each field says how far its number is from the one before. */
function struct(fields: readonly Field[]): Buffer {
  let last = 0;
  const parts = fields.map(([id, type, value]) => {
    const header = Buffer.from([((id - last) << 4) | type]);
    last = id;
    return Buffer.concat([header, value]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

const list = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([(items.length << 4) | type]), ...items]);

const text = (value: string): Buffer => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);

/** Signed numbers alternate with unsigned ones. */
const int = (value: number): Buffer => varint(value * 2);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}
