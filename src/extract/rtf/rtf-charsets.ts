/** Code pages and font charsets of RTF by the names that TextDecoder knows. */

/** The encoding of a Windows code page. */
export const findCharset = (codePage: number): string =>
  ({ 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 10000: "macintosh", 65001: "utf-8", 866: "ibm866" })[
    codePage
  ] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : "windows-1252");

/** The charsets of fonts, by Windows' numbers. */
export const fontCharsets: Readonly<Record<number, string>> = {
  0: "windows-1252",
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
