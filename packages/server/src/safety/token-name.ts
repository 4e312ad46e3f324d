import { ADMIN_NAME, LonghaulError } from '@longhaul/protocol';

/** Only lower case, because some file systems do not distinguish the case of names. */
const NAME = '[a-z0-9][a-z0-9_-]{0,62}';
const WHOLE_NAME = new RegExp(`^${NAME}$`);
const TOKEN = new RegExp(`^Bearer +lht_(?<name>${NAME})\\.(?<secret>[\\w-]{43})$`, 'i');
const TOKEN_IN_TEXT = new RegExp(`lht_${NAME}\\.[\\w-]{43}`, 'g');

/** @throws {LonghaulError} `usage` */
export function checkedTokenName(name: string): string {
  if (name === ADMIN_NAME)
    throw new LonghaulError(
      'usage',
      `"${ADMIN_NAME}" is the name of the first token of the server. Choose another name.`,
    );
  if (WHOLE_NAME.test(name)) return name;
  throw new LonghaulError(
    'usage',
    `A token's name has 1 to 63 lower-case letters, digits, - and _, and begins with a letter or a digit. ${JSON.stringify(name.slice(0, 100))} does not.`,
  );
}

/** Whether a token can have this name. */
export function isTokenName(name: string): boolean {
  return name !== ADMIN_NAME && WHOLE_NAME.test(name);
}

/** A named token contains its name, so that one file must be read to check it. */
export function namedToken(name: string, secret: string): string {
  return `lht_${name}.${secret}`;
}

/** Returns what a named token in an `Authorization` header says. */
export function parseNamedToken(
  authorization: string | undefined,
): { name: string; secret: string } | undefined {
  const { name, secret } = TOKEN.exec(authorization ?? '')?.groups ?? {};
  return name === undefined || secret === undefined ? undefined : { name, secret };
}

/** Replaces named tokens in a text with as many asterisks. The server does not know them, so it finds them by their form. */
export function maskNamedTokens(text: string): string {
  return text.includes('lht_') ? text.replaceAll(TOKEN_IN_TEXT, (token) => '*'.repeat(token.length)) : text;
}
