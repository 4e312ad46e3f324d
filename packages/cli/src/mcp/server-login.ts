import { LoginStore } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { Settings } from '../compose/load-settings.ts';
import { openBrowser } from '../serve/open-browser.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { requireServer } from './test-servers.ts';

/** A person may take this long to log in. */
const LOGIN_MS = 10 * 60_000;

/** Logs the person in to a server with the browser of this machine. Returns what to print. */
export async function logInTo(name: string, { config, home }: Settings, terminal: Terminal): Promise<string> {
  const { logIn } = await import('@longhaul/mcp');
  const logins = new LoginStore({ env: terminal.env, home });
  const late = AbortSignal.timeout(LOGIN_MS);
  try {
    const isNeeded = await logIn({
      settings: requireServer(name, config.mcp.servers),
      logins,
      host: terminal.env,
      version: await version(),
      open: (address) => show(address, name, terminal),
      signal: late,
    });
    if (!isNeeded) return `${name} needs no login.`;
    return `You are logged in to ${name}. The login is stored in ${logins.path}, which only you can read.`;
  } catch (error) {
    if (!late.aborted) throw error;
    throw new LonghaulError('cancelled', `Nobody logged in to ${name} within 10 minutes.`);
  }
}

/** Removes the stored login. Returns what to print. */
export async function logOutOf(name: string, { config, home }: Settings, { env }: Terminal): Promise<string> {
  const { filledIn, loginAddress } = await import('@longhaul/mcp');
  const { url } = filledIn(requireServer(name, config.mcp.servers), env);
  const wasThere = url !== undefined && (await new LoginStore({ env, home }).remove(loginAddress(url)));
  return wasThere ? `The login at ${name} is removed.` : `No login at ${name} is stored.`;
}

async function show(address: URL, name: string, terminal: Terminal): Promise<void> {
  const isOpened = await openBrowser(address.href, terminal);
  const how = isOpened ? 'Your browser opens' : 'Open';
  terminal.err.write(`${how} this address of ${address.host} to log in to ${name}:\n${address.href}\n`);
}
