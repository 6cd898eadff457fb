/** Reads the place where a picture was taken from the GPS directory of EXIF. */
import { decodeLatin1, u8, u16be, u16le, u32be, u32le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";

/** The tag that points to the directory of the location. */
export const GPS_DIRECTORY = 0x8825;

const [LATITUDE_SIDE, LATITUDE, LONGITUDE_SIDE, LONGITUDE, BELOW_SEA, ALTITUDE] = [1, 2, 3, 4, 5, 6];
const MAX_ENTRIES = 40;

/** Degrees with six digits are exact to a decimetre. */
const DEGREE_DIGITS = 6;

/** A line such as `Location: 52.520008, 13.404954, 34 m`; none where latitude and longitude make no sense. */
export async function readLocation(read: Body["read"], at: number, isLittle: boolean): Promise<string[]> {
  const [u16, u32] = isLittle ? [u16le, u32le] : [u16be, u32be];
  const count = Math.min(u16(await read(at, at + 2), 0), MAX_ENTRIES);
  const entries = await read(at + 2, at + 2 + count * 12);
  const latitude = await readDegrees(LATITUDE, LATITUDE_SIDE, "S");
  const longitude = await readDegrees(LONGITUDE, LONGITUDE_SIDE, "W");
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return [];
  const place = `Location: ${latitude.toFixed(DEGREE_DIGITS)}, ${longitude.toFixed(DEGREE_DIGITS)}`;
  const [altitude = Number.NaN] = await readFractions(ALTITUDE, 1);
  if (!Number.isFinite(altitude)) return [place];
  const isBelow = u8(entries, (find(BELOW_SEA) ?? entries.length) + 8) === 1;
  return [`${place}, ${Math.round(isBelow ? -altitude : altitude)} m`];

  /** Degrees, minutes and seconds as one number; minutes and seconds may be left out, or be written as 0/0. */
  async function readDegrees(tag: number, sideTag: number, negativeSide: string): Promise<number> {
    const [degrees = Number.NaN, minutes = 0, seconds = 0] = await readFractions(tag, 3);
    const size = degrees + finiteOrZero(minutes) / 60 + finiteOrZero(seconds) / 3_600;
    const side = find(sideTag);
    return side !== undefined && decodeLatin1(entries, side + 8, side + 9) === negativeSide ? -size : size;
  }

  async function readFractions(tag: number, max: number): Promise<number[]> {
    const entry = find(tag);
    if (entry === undefined) return [];
    const start = u32(entries, entry + 8);
    const length = Math.min(u32(entries, entry + 4), max);
    const bytes = await read(start, start + length * 8);
    if (bytes.length < length * 8) return [];
    return Array.from({ length }, (_, index) => u32(bytes, index * 8) / u32(bytes, index * 8 + 4));
  }

  function find(tag: number): number | undefined {
    for (let entry = 0; entry < entries.length; entry += 12) if (u16(entries, entry) === tag) return entry;
    return undefined;
  }
}

const finiteOrZero = (value: number): number => (Number.isFinite(value) ? value : 0);
