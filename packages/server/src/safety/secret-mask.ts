/** A short secret would hide ordinary text. */
const MIN_SECRET_CHARS = 8;

/**
 * Puts stars in the place of known secrets: as many as the secret has characters, so that the offsets of streamed text stay right.
 * Works on JSON, too, since what is in a key or a token is never escaped there.
 */
export function createSecretMask(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .sort((left, right) => right.length - left.length);
  return (text) =>
    known.reduce((masked, secret) => masked.replaceAll(secret, '*'.repeat(secret.length)), text);
}
