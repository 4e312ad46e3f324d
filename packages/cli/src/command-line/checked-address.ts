import { LonghaulError } from '@longhaul/protocol';

/** Checks the value of `--base-url`. @throws {LonghaulError} `usage` */
export function checkedAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw new LonghaulError(
      'usage',
      `--base-url takes no user name or password. Leave them out of the address of ${url.host}, and set LONGHAUL_API_KEY, or providers.NAME.apiKey in longhaul.yml.`,
    );
  }
  if (url !== null) return text;
  throw new LonghaulError(
    'usage',
    `--base-url must be an address such as http://127.0.0.1:8080/v1, not "${text}".`,
  );
}
