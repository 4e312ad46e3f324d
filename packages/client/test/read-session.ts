import { createClient } from '@longhaul/client';

/** Reads a session's events through a connection that breaks, with nothing of Node: runs under any engine of JavaScript. */
export async function readSession(baseUrl: string): Promise<string> {
  const client = createClient({ baseUrl, token: 'tk', retryDelayMs: 5 });
  const seen: string[] = [];
  for await (const event of client.events('s', { after: 0 })) {
    if (event.type !== 'context:warning') continue;
    seen.push(`${event.number} ${event.message}`);
    if (event.number === 6) break;
  }
  const code = await client.sessions.get('absent').catch((error: { code: string }) => error.code);
  return `${seen.join(', ')}; ${code}`;
}

// What Bun is given; a browser calls the function itself.
if (import.meta.main) readSession(process.argv[2] ?? '').then(console.log);
