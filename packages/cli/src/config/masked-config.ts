import { type Config, maskAddress } from '@longhaul/config';

const SECRETS: ReadonlySet<string> = new Set(['apiKey', 'token']);

/** With keys and tokens replaced, and what stands for one in an address: what is shown may be pasted anywhere. */
export function maskedConfig(config: Config): Config {
  return JSON.parse(JSON.stringify(config), (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    // A variable that is not set, or whose turn has not come, is a name.
    if (SECRETS.has(key)) return /^\$[A-Za-z_]\w*$/.test(value) ? value : '********';
    return maskAddress(value);
  });
}
