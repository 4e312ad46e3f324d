import { readFile } from 'node:fs/promises';
import { createClient } from '@longhaul/client';
import { LonghaulError } from '@longhaul/protocol';
import type { Terminal } from '../../terminal.ts';
import type { Connection } from './connection.ts';

/**
 * Connects to a `longhaul serve`. Its token is `LONGHAUL_TOKEN`, or the content of the token file on this machine.
 *
 * @param tokenFile The file of a server that uses the same database.
 */
export async function openAttachedConnection(
  address: string,
  { tokenFile, env }: { tokenFile: string } & Pick<Terminal, 'env'>,
): Promise<Connection> {
  const token = env['LONGHAUL_TOKEN']?.trim() || (await readFile(tokenFile, 'utf8').catch(missing))?.trim();
  const client = createClient({
    baseUrl: address,
    schemas: () => import('@longhaul/protocol/api'),
    ...(token ? { token } : {}),
  });
  try {
    await client.sessions.list({ limit: 1 });
  } catch (error) {
    if (!(error instanceof LonghaulError) || error.code !== 'unauthorized') throw error;
    throw new LonghaulError(
      'unauthorized',
      `${address} refuses the token. Set LONGHAUL_TOKEN to the token of that server: longhaul serve prints the path of the file that contains it.`,
    );
  }
  return { client, local: undefined, [Symbol.asyncDispose]: async () => undefined };
}

/** A server elsewhere has its token file elsewhere, and a server without a token has none. */
function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw new LonghaulError(
    'usage',
    `The token file cannot be read (${error.code}). Set LONGHAUL_TOKEN to the token of the server.`,
  );
}
