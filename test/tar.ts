/** Writes TAR and `ar` archives for tests. */

export type TarPart = {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** `0` a file, `5` a folder, `x` attributes of the next member, `L` its name. */
  readonly type?: string;
  readonly prefix?: string;
  /** The size that the header claims, if it is not the true one. */
  readonly claimedBytes?: number;
};

/** A TAR archive of these parts, in order. */
export function makeTar(parts: readonly TarPart[]): Buffer {
  return Buffer.concat([...parts.map(makeMember), Buffer.alloc(1024)]);
}

function makeMember({ name, data = "", type = "0", prefix = "", claimedBytes }: TarPart): Buffer {
  const content = Buffer.from(data);
  const header = Buffer.alloc(512);
  header.write(name.slice(0, 100), 0);
  header.write("0000644\0", 100);
  header.write((claimedBytes ?? content.length).toString(8).padStart(11, "0"), 124);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  header.write("ustar\x0000", 257, "latin1");
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([header, content, padding]);
}

/** An `ar` archive of these parts, such as a Debian package. */
export function makeAr(parts: readonly { readonly name: string; readonly data: string | Uint8Array }[]): Buffer {
  const members = parts.map(({ name, data }) => {
    const content = Buffer.from(data);
    const header = `${name.padEnd(16)}${"0".padEnd(12)}0     0     100644  ${String(content.length).padEnd(10)}\`\n`;
    return Buffer.concat([Buffer.from(header), content, Buffer.alloc(content.length % 2, "\n")]);
  });
  return Buffer.concat([Buffer.from("!<arch>\n"), ...members]);
}
