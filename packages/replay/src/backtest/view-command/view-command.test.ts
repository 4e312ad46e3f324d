import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSession } from '../../importers/import-session.ts';
import { prepareSession, replaySession } from '../replay-session.ts';
import { filler } from '../test-support/recorded.ts';
import { commandMethod, commandMethodName, commandOf } from './command-method.ts';
import { runViewCommand } from './run-view-command.ts';

const INPUT = { windowTokens: 8_000, usableTokens: 6_000, messages: [{ role: 'user', content: 'Look.' }] };

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-view-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns a command that runs this program. */
async function program(name: string, source: string): Promise<string> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, source);
  return `"${process.execPath}" "${path}"`;
}

const READ = `let text = '';
for await (const piece of process.stdin) text += piece;
const input = JSON.parse(text);
`;

describe('a view command', () => {
  test('maps messages to messages', async () => {
    const command = await program(
      'echo',
      `${READ}console.log(JSON.stringify({ messages: [...input.messages, { role: 'user', content: String(input.usableTokens) }] }));`,
    );
    expect(await runViewCommand(command, INPUT)).toEqual([
      { role: 'user', content: 'Look.' },
      { role: 'user', content: '6000' },
    ]);
  });

  test.each([
    ['crashes', "console.error('No key.'); process.exit(3);", /ended with exit code 3: No key\./],
    ['prints no JSON', "console.log('Hello.');", /printed no JSON, but: Hello\./],
    ['prints nothing', '', /printed no JSON, but: nothing/],
    ['prints a list', 'console.log([]);', /without a list `messages`/],
    ['prints a wrong role', 'console.log(\'{"messages":[{"role":"robot"}]}\');', /messages\[0\]: its role/],
  ])('that %s is a failure that says so', async (name, source, message) => {
    const run = runViewCommand(await program(name.replaceAll(' ', '-'), source), INPUT);
    await expect(run).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    });
  });

  test('that does not end is killed', async () => {
    const command = await program('hang', 'setInterval(() => {}, 1_000);');
    await expect(runViewCommand(command, INPUT, { timeoutMs: 300 })).rejects.toThrow('within 0.3 seconds');
  });

  test('that prints without end is killed', async () => {
    const command = await program(
      'flood',
      "const piece = 'x'.repeat(65_536); const go = () => process.stdout.write(piece, go); go();",
    );
    await expect(runViewCommand(command, INPUT, { maxOutputBytes: 1_000_000 })).rejects.toThrow(
      'more than 1 MB',
    );
  });

  test('can set variables and use pipes', async () => {
    const command = await program(
      'variable',
      'console.log(JSON.stringify({ messages: [{ role: process.env.ROLE }] }));',
    );
    expect(await runViewCommand(`ROLE=user ${command} | cat`, INPUT)).toEqual([{ role: 'user' }]);
    expect(await runViewCommand(`ROLE=user ${command}`, INPUT)).toEqual([{ role: 'user' }]);
  });

  test('that does not exist is a failure', async () => {
    await expect(runViewCommand(join(folder, 'nothing'), INPUT)).rejects.toThrow('ended with exit code');
  });

  test('is measured like a strategy, on its own last view and the new messages', async () => {
    const messages: object[] = [{ role: 'user', content: 'Find retryAfterSeconds.' }];
    for (let index = 0; index < 10; index += 1) {
      const call = {
        id: `c${index}`,
        function: { name: 'read', arguments: `{"pattern":"${index === 9 ? 'retryAfterSeconds' : index}"}` },
      };
      messages.push({ role: 'assistant', content: null, tool_calls: [call] });
      messages.push({ role: 'tool', tool_call_id: call.id, content: filler(3_200) });
    }
    const keepNewest = await program(
      'newest',
      `${READ}const [first, ...rest] = input.messages;
console.log(JSON.stringify({ messages: [first, ...rest.slice(-2)] }));`,
    );
    const prepared = prepareSession(readSession(JSON.stringify(messages)).messages);
    const method = commandMethod(keepNewest);
    const { tally, steps } = await replaySession(prepared, method, 16_000);
    expect(commandOf(method.name)).toBe(keepNewest);
    expect(commandMethodName(keepNewest)).toBe(method.name);
    expect(tally).toMatchObject({ steps: 10, neededSeen: 1, overflows: 0 });
    expect(Math.max(...steps.map(({ tokens }) => tokens))).toBeLessThan(9_000);
    expect(tally.compactions).toBeGreaterThan(0);
  });
});
