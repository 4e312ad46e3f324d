import { createClient } from '@longhaul/client';

/** Reads a session's events over a connection that breaks. Uses no Node.js API, so it runs in any JavaScript engine. */
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

// For Bun. A browser calls the function directly.
if (import.meta.main) readSession(process.argv[2] ?? '').then(console.log);
