/** Shorter secrets are not masked, because they would hide ordinary text. */
const MIN_SECRET_CHARS = 8;

/**
 * Creates a function that replaces known secrets with asterisks. Their number is the length of the secret, so the
 * offsets of streamed text stay correct. The function also works on JSON: it finds both the plain and the JSON-escaped
 * form of a secret.
 *
 * @param secrets A function is called for each text. It returns the same array until the secrets change.
 */
export function createSecretMask(
  secrets: readonly string[] | (() => readonly string[]),
): (text: string) => string {
  if (typeof secrets !== 'function') return maskOf(secrets);
  let current = { secrets: secrets(), mask: maskOf(secrets()) };
  return (text) => {
    const now = secrets();
    if (now !== current.secrets) current = { secrets: now, mask: maskOf(now) };
    return current.mask(text);
  };
}

function maskOf(secrets: readonly string[]): (text: string) => string {
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
