/** Tesseract in WebAssembly: recognises the text in one picture. It has no access to the network or to the disk. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import type { OcrOptions } from "../handler.ts";
import { smoothNoise } from "./smooth-noise.ts";

/** The text in a picture, and how sure the engine is of it, from 0 to 100. */
export type RecognizedText = { readonly text: string; readonly confidence: number };

/** The part of the engine's module that we use; see baseapi.h of Tesseract for the calls. */
type TesseractModule = {
  readonly FS: {
    /** With `canOwn` the bytes are not copied. */
    writeFile(path: string, bytes: Uint8Array, options: { readonly canOwn: true }): void;
    unlink(path: string): void;
  };
  readonly TessBaseAPI: new () => TesseractApi;
};
type TesseractApi = {
  Init(folder: null, languages: string, engineMode: number): number;
  SetVariable(name: string, value: string): void;
  /** Reads `/input`; the orientation is that of EXIF. */
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetUTF8Text(): string;
  MeanTextConf(): number;
  Clear(): void;
};
type StartModule = (options: { print(): void; printErr(): void }) => Promise<TesseractModule>;
type Engine = { readonly module: TesseractModule; readonly api: TesseractApi };

const LSTM_ONLY = 1;
const AUTOMATIC_LAYOUT = "3";
/** Orientations of EXIF: upright, then upside down, then lying on either side. */
const UPRIGHT = 1;
const TURNED = [3, 6, 8];
/** A page that lies on its side is read with less. */
const GOOD_CONFIDENCE = 60;
/** Of the CPU time for the page: more attempts could exceed it. */
const MAX_SHARE_BEFORE_TURN = 0.2;

/**
 * Recognises the text in a picture: PNM, PNG, JPEG, GIF, WebP, BMP or TIFF, the first frame of several. If hardly anything
 * can be read it is turned. Noise of a PNM is smoothed in place. Undefined for a picture that cannot be decoded.
 */
export async function recognizeText(picture: Uint8Array, options: OcrOptions): Promise<RecognizedText | undefined> {
  smoothNoise(picture);
  const engine = await loadEngine(options);
  const startedAt = process.cpuUsage();
  engine.module.FS.writeFile("/input", picture, { canOwn: true });
  let best = recognizeTurned(engine, UPRIGHT);
  for (const orientation of TURNED) {
    const { user, system } = process.cpuUsage(startedAt);
    const isCostly = (user + system) / 1_000 > options.pageCpuMs * MAX_SHARE_BEFORE_TURN;
    if (best === undefined || best.confidence >= GOOD_CONFIDENCE || isCostly) break;
    const other = recognizeTurned(engine, orientation);
    if (other !== undefined && other.confidence > best.confidence) best = other;
  }
  engine.module.FS.unlink("/input");
  return best;
}

function recognizeTurned({ api }: Engine, orientation: number): RecognizedText | undefined {
  if (api.SetImageFile(orientation, 0) !== 0) return undefined;
  try {
    if (api.Recognize(null) !== 0) return undefined;
    return { text: api.GetUTF8Text(), confidence: api.MeanTextConf() };
  } finally {
    api.Clear();
  }
}

const engines = new Map<string, Promise<Engine>>();

/** The engine for these languages, started on first use. */
function loadEngine(options: OcrOptions): Promise<Engine> {
  const key = options.dataPaths.join("\n");
  const engine = engines.get(key) ?? startEngine(options);
  engines.set(key, engine);
  return engine;
}

async function startEngine({ enginePath, dataPaths, languages }: OcrOptions): Promise<Engine> {
  const start: StartModule = createRequire(import.meta.url)(enginePath);
  const module = await start({ print: ignore, printErr: ignore });
  const nameData = (language: string): string => `./${language}.traineddata`;
  for (const [index, language] of languages.entries())
    module.FS.writeFile(nameData(language), gunzipSync(readFileSync(dataPaths[index] ?? "")), { canOwn: true });
  const api = new module.TessBaseAPI();
  if (api.Init(null, languages.join("+"), LSTM_ONLY) !== 0)
    throw new Error(`Tesseract cannot read its data for ${languages.join(", ")}.`);
  // The engine has its own copy.
  for (const language of languages) module.FS.unlink(nameData(language));
  api.SetVariable("tessedit_pageseg_mode", AUTOMATIC_LAYOUT);
  return { module, api };
}

/** Messages of the engine must not mix with the output of the process. */
function ignore(): void {}
