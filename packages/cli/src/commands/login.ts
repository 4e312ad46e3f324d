import { text as readText } from 'node:stream/consumers';
import { KeyStore } from '@longhaul/config';
import { LOGIN_FLAGS, LOGOUT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { readHiddenLine } from '../login/hidden-line.ts';
import { checkedKey, KEY_PAGES, loginProviders, otherKey, requireProvider } from '../login/login-provider.ts';
import { canAsk } from '../run/confirm.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul login`: stores the API key of a provider. */
export async function login(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'login', LOGIN_FLAGS);
  const { config, home } = await loadSettings(values, terminal);
  const [provider, ...others] = positionals;
  if (provider === undefined)
    throw usage(
      `Name a provider: longhaul login PROVIDER. Known: ${loginProviders(config).join(', ')}.`,
      'login',
    );
  if (others.length > 0)
    throw usage(
      'A key in the command line stays in the history of your shell: leave it out, or use --stdin.',
      'login',
    );
  requireProvider(provider, config);
  const key = checkedKey(
    values.stdin === true ? await readText(terminal.input) : await askKey(provider, terminal),
  );
  const store = new KeyStore({ env: terminal.env, home });
  await store.put(provider, key);
  terminal.out.write(`The key of ${provider} is stored in ${store.path}, which only you can read.\n`);
  const other = otherKey(provider, config, terminal.env);
  if (other !== undefined) terminal.out.write(`It is not used while ${other} is set.\n`);
  return 0;
}

/** `longhaul logout`: removes the stored key of a provider. */
export async function logout(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'logout', LOGOUT_FLAGS);
  const [provider, ...others] = positionals;
  if (provider === undefined || others.length > 0)
    throw usage('Name one provider: longhaul logout PROVIDER.', 'logout');
  const { config, home } = await loadSettings(values, terminal);
  const wasThere = await new KeyStore({ env: terminal.env, home }).remove(provider);
  terminal.out.write(
    wasThere ? `The stored key of ${provider} is removed.\n` : `No key of ${provider} is stored.\n`,
  );
  const other = otherKey(provider, config, terminal.env);
  if (other !== undefined) terminal.out.write(`Its key still comes from ${other}.\n`);
  return 0;
}

async function askKey(provider: string, terminal: Terminal): Promise<string> {
  if (!canAsk(terminal))
    throw usage('There is no terminal to ask on. Pipe the key in, with --stdin.', 'login');
  const page = Object.hasOwn(KEY_PAGES, provider) ? ` (${KEY_PAGES[provider]})` : '';
  return await readHiddenLine(`API key of ${provider}${page}.\nIt is not shown: `, terminal);
}
