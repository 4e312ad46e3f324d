/** A short secret would hide ordinary text. */
const MIN_SECRET_CHARS = 8;

/**
 * Puts stars in the place of known secrets: as many as the secret has characters, so that the offsets of streamed text stay right.
 * Works on JSON, too: a secret with characters that are escaped there is looked for in both forms.
 */
export function createSecretMask(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .sort((left, right) => right.length - left.length)
    .flatMap((secret) => {
      const stars = '*'.repeat(secret.length);
      return [...new Set([inJson(secret), secret])].map((form) => ({ form, stars }));
    });
  return (text) => known.reduce((masked, { form, stars }) => masked.replaceAll(form, stars), text);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}
