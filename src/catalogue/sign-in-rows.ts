/** Rows of sign-in codes: each opens the pages of the server once, for the holder of one token. */
import type { Queries } from "./sql.ts";

export type SignInCode = { readonly token_sha256: string; readonly expires_at: number };

/** Adds a code, by its hash, and deletes those that have expired. */
export async function addSignInCode(
  queries: Queries,
  codeSha256: string,
  { token_sha256, expires_at }: SignInCode,
  now: number,
): Promise<void> {
  await queries.run("DELETE FROM sign_in_codes WHERE expires_at <= ?", now);
  await queries.run(
    "INSERT INTO sign_in_codes (code_sha256, token_sha256, expires_at) VALUES (?, ?, ?)",
    codeSha256,
    token_sha256,
    expires_at,
  );
}

/** Takes a code away and returns it. Of several processes that ask at once, one gets it. */
export async function takeSignInCode(
  queries: Queries,
  codeSha256: string,
  now: number,
): Promise<SignInCode | undefined> {
  const row = await queries.get<SignInCode>(
    "DELETE FROM sign_in_codes WHERE code_sha256 = ? RETURNING token_sha256, expires_at",
    codeSha256,
  );
  return row !== undefined && row.expires_at > now ? row : undefined;
}
