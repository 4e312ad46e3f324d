/**
 * Sends a task to `longhaul serve` with the typed client: events, a second message during the run, and approvals.
 *
 * Run it with a server on this machine: `LONGHAUL_TOKEN=$(cat ~/.local/share/longhaul/server-token) node
 * examples/server-client.ts "Fix the failing test."`
 */
import { createClient, type LonghaulClient } from '@longhaul/client';

export interface WorkOptions {
  /** A message that is sent after the first tool call and waits for the next step. */
  meanwhile?: string;
  /** Decides on tool calls that need approval. Default: refuse. */
  approve?: (toolName: string, args: unknown) => boolean | Promise<boolean>;
  write?: (text: string) => void;
}

/** Creates a session for the task and returns the final answer. */
export async function work(
  client: LonghaulClient,
  task: string,
  { meanwhile, approve = () => false, write = (text) => void process.stdout.write(text) }: WorkOptions = {},
): Promise<string> {
  const session = await client.sessions.create({ title: task.slice(0, 60) });
  await client.sendMessage(session.id, task);
  let toSend = meanwhile;
  // Starts at the first event. The client reconnects after a failure and misses no event.
  for await (const event of client.events(session.id, { after: 0 })) {
    switch (event.type) {
      case 'llm:chunk':
        if (event.chunkType === 'text') write(event.content);
        break;
      case 'approval:requested': {
        const isFine = await approve(event.toolName, event.args);
        await client.approvals.answer(session.id, event, { answer: isFine ? 'once' : 'deny' });
        break;
      }
      case 'llm:tool-result':
        write(`\n[${event.title ?? event.toolName}]\n`);
        if (toSend !== undefined) {
          const sent = await client.sendMessage(session.id, toSend);
          write(sent.queued ? `[queued at ${sent.position}]\n` : '');
          toSend = undefined;
        }
        break;
      case 'context:compressed':
        write(`\n[compacted: ${event.originalTokens} → ${event.compressedTokens} tokens]\n`);
        break;
      case 'run:finished':
        if (event.error !== undefined) throw new Error(event.error.message);
        return event.text;
    }
  }
  throw new Error('The session was deleted.');
}

if (import.meta.main) {
  const { LONGHAUL_URL: baseUrl = 'http://127.0.0.1:4140', LONGHAUL_TOKEN: token } = process.env;
  const client = createClient({ baseUrl, token });
  await work(client, process.argv[2] ?? 'What is in README.md?', { approve: () => true });
}
