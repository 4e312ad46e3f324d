/** Matches a pair, or captures a surrogate without one. An even number of backslashes before it are other escapes. */
const SURROGATES =
  /\\u(?<=(?<!\\)(?:\\\\)*\\u)[dD](?:[89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|([89a-fA-F][0-9a-fA-F]{2}))/g;

/** Returns a JSON text in which U+FFFD replaces every escaped surrogate without its pair. All else stays. */
export function replaceLoneSurrogates(json: string): string {
  return json.replace(SURROGATES, (found, lone) => (lone === undefined ? found : '\\ufffd'));
}

/** Returns the body with U+FFFD for every escaped surrogate without its pair; the same buffer if there is none. */
export function withoutLoneSurrogates(body: Buffer): Buffer {
  if (!MAY_BE_SURROGATE.some((start) => body.includes(start))) return body;
  const before = body.toString('latin1');
  const after = replaceLoneSurrogates(before);
  return after === before ? body : Buffer.from(after, 'latin1');
}

/** UTF-8 has no surrogates, so each is an escape. */
const MAY_BE_SURROGATE = [Buffer.from('\\ud'), Buffer.from('\\uD')];
