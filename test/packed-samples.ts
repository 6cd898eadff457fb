/** Small archives that other programs packed: bzip2 1.0.8, xz 5.4 and GNU tar. Node cannot write these formats. */

const decode = (base64: string): Buffer => Buffer.from(base64, "base64");

/** What `note.txt` contains. */
export const NOTE = "Ships moor here.\n";

export const packedSamples = {
  "note.txt.bz2": decode("QlpoOTFBWSZTWfsrUKEAAAJTgAAQQAEIAAJi2AAgADEDQNAg0A0A9UPdWBpLZ3i7kinChIfZWoUI"),
  "note.txt.xz": decode(
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAQU2hpcHMgbW9vciBoZXJlLgoAAAAA1VoUsfy/aaIAASkRMgpwDh+2830BAAAAAARZWg==",
  ),
  /** `note.txt` and `berths.csv`. */
  "harbour.tar.bz2": decode(
    "QlpoOTFBWSZTWQK6po8AAJ1fgcoYQAV/gABACUB6Y99AAAQECCAAkglSm8pqep6IBp6nqekwmT00Eoghqep6JoDI0bRpGm+1IjYC2KAC" +
      "1IiCDi4sBhK5g8QQUS3PR0TUYLSE5tWokREFFAMsuADTxfgOO5Ie45j2S4EipBo0cK8lRQ+FVIwWGH4SEckaLPPlNMZn8TIM33bG1O47" +
      "mXUF8RGMDcXckU4UJACuqaPA",
  ),
  "harbour.tar.xz": decode(
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AJhdADcbyu7jSLGwl3Rxk6H0s6xr9zFffGQvLeTg9jSYmTdB/CMW1oEImftKY9N6GTl2" +
      "8e8fVpkiOuJEg2kvR95MfEVzZHyRTzn8o6ZJ6NgEwT4w1DMbbrfDI4IrqCftnsMICjnbx40aj4j3ELGCuRhYo0d4ZbMD6itL+2cUND1b" +
      "t0RdPIBc5zwqPuhid/UBhEbVPehjQ6GO4WkeANGXuxzE176NAAG0AYBQAACFNIv+scRn+wIAAAAABFla",
  ),
  /** Runs, every byte three times, and a few letters in random order. */
  "mixed.bz2": decode(
    "QlpoOTFBWSZTWXi/UVwAAOZ/////////////////////////////////////////////wAJzpmwYCX//qqpAAAABMAAAAmEwAAAAAAAA" +
      "mABMAAAA0AAAAAAAAAAAADRGAAJghiSqRpiMTJgmAI00wCZNDTTEMCaaZMJgmjATBGQMnojE0yDEyaZMmmmmIwAABNAYJgJgTI0MEwIa" +
      "GQGIJMABMAATAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAr1VNPVDJpowAmTJkYmTTTEyYE00MmmmJiYTINGIMjRgBNDRkMmQYJi" +
      "MJgCaYCGmAmACMmAEwmAjTRoyZBhNHJ/5rlMNDzEyfqH6l5m/VPNHmrzZ6S0zYTcjAGaFptAkWU4cTJ4kJQkGiIEFFMixQICEGIiCAEm" +
      "hoaGBRYohRRYheUXg2BuDgHIOgdg8B6NeD4H42AQAgjYhCCGNkNmKS86nYaeieMUyQKCJCLFM09bsHMhDyEmAYkBkCi7QDCRhjBUQDCD" +
      "9i9Kfsnpb9m9MemvTnu1QeovNk3ThOU6TtPH8p6nyfqA/pQVCUNRFFUZR1IUlSlLUxTVOU9UFRVJU1UVVVlXVhWVaVtXFdV5X1gWFYlj" +
      "WRZXLHMHNGkN42kIRtBcQnODYWG6GpbCxNQC4hOeOgG4dEdIN4cA4i+v5L+U/lv5j+a9+e/v5zzD4B7c1AttttzCGZKAwQAhIpmKYFyk" +
      "mUQYJKaAGCbAuZSLSCDNJJMlBMQg8QUiIgsnEEw0QxYlIwyDQUWhkIYBgyDBMWNoESYNJzIByCgygwwAIdJhChEQYhQjCYdfKIlKGRAk" +
      "CpSLJJEQCWUJg8HgIBBoQv7AP8YFgmDYRhWGYdiGJYpi2MY1jmPZBkWSZNlGVZZl2YZlmkCzbOM6zzPtA0LRNG0jStM07UNS1TVtY1rX" +
      "Ne2DYtk2baNq2zbtw3LdN23jet837gOC4ThuI4rjOO5DkuU5bmOa5znug6LpOm6jqus67sOy7Ttu47rvO+8DwvE8byPK8zzsTBIJ6Hpf" +
      "6/56nrex7Xue98HxfJ830fV9n3RlA/hnX/vy/T9i7kinChIPF+orgA==",
  ),
} as const;

export const MIXED_SHA256 = "c8a8c3e154a2774b9e173f937acc41fda5c378af079c46456ea388cb676a607f";
