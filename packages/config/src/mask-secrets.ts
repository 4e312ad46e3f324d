import { isPlainObject } from './config-layer.ts';
import { referencedVariable } from './environment.ts';

const SECRETS: ReadonlySet<string> = new Set(['apiKey', 'token', 'headers', 'storedKeys']);
const MASK = '********';

/** Whether the values of a key, or below it, are secrets: keys and tokens, and headers, which can contain one. */
export function isSecretKey(key: string | number): boolean {
  return typeof key === 'string' && SECRETS.has(key);
}

/**
 * Replaces the user name and password in an address, and shows the rest as a request reads it, so that its host is
 * the one that is called. Returns other text unchanged.
 */
export function maskAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return maskOther(text);
  const user = url.username === '' && url.password === '' ? '' : `${MASK}@`;
  const shown = `${url.protocol}//${user}${url.host}${url.pathname}${url.search}${url.hash}`;
  return shown === `${text}/` ? text : shown;
}

/** Of a database. A password can contain any character, also unescaped, so everything up to the last @ is masked. */
function maskOther(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text;
  return text.replace(/(?<=^[^/]*\/\/).*@/s, `${MASK}@`).replace(/(?<=[?&]password=)[^&]*/gi, MASK);
}

/**
 * Masks keys, tokens, headers and the values of variables, and passwords in addresses: the output may be pasted
 * anywhere.
 */
export function maskSettings<Value>(settings: Value): Value {
  return JSON.parse(JSON.stringify(settings), (key, value: unknown) => {
    // Other settings with this name are lists: what files contain secrets.
    if (key === 'secret' && typeof value === 'string') return maskAll(value);
    if (isSecretKey(key) || (key === 'env' && isPlainObject(value))) return maskAll(value);
    return typeof value === 'string' ? maskAddress(value) : value;
  });
}

/** `$NAME` is the name of a variable and not its value. */
function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return referencedVariable(value) === undefined ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, maskAll(below)]));
}
