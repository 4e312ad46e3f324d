import { type Config, maskAddress } from '@longhaul/config';

const SECRETS: ReadonlySet<string> = new Set(['apiKey', 'token']);

/** Masks keys and tokens, also in addresses: the output may be pasted anywhere. */
export function maskedConfig(config: Config): Config {
  return JSON.parse(JSON.stringify(config), (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    // `$NAME` is the name of a variable and not its value.
    if (SECRETS.has(key)) return /^\$[A-Za-z_]\w*$/.test(value) ? value : '********';
    return maskAddress(value);
  });
}
