import { writeFile } from 'node:fs/promises';
import { type Script, toolResults } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, linesOf } from './harness.ts';

const TASK = 'Please look at what is in this folder';
const script: Script = ({ messages }) =>
  toolResults(messages).length > 0
    ? 'It is empty.'
    : { toolCalls: [{ name: 'list', arguments: { path: '.' } }] };

/** Runs the task, and returns the events and the title in the list. */
async function runTitled(bench: Bench, flags: readonly string[], more: readonly string[] = []) {
  const events = eventsOf(await bench.call(['run', TASK, '--json', '--sandbox', 'local', ...flags, ...more]));
  const [line = ''] = linesOf((await bench.call(['sessions', '--json'])).stdout);
  return { events, session: JSON.parse(line) };
}

describe('the title of a session', () => {
  it('is asked from the model once, after a run that called a tool', async () => {
    await using bench = await Bench.open();
    const asked: string[] = [];
    const title = (task: string) => {
      asked.push(task);
      return '<think>Hm.</think>**Title:** "Look into \u001b[31mthe folder"';
    };
    const { flags, server } = await bench.serve({ script, title });
    const { events, session } = await runTitled(bench, flags);
    expect(session.title).toBe('Look into [31mthe folder');
    expect(events.filter(({ type }) => type === 'session:titled')).toMatchObject([{ title: session.title }]);
    expect(events.find(({ type }) => type === 'run:finished')).toMatchObject({ stepCount: 2 });
    await bench.call(['run', 'Again', '--session', 'last', '--sandbox', 'local', ...flags]);
    expect(asked).toEqual([TASK]);
    expect(server.requests).toHaveLength(3);
  });

  it('stays the first line of the task with sessions.titles: false', async () => {
    await using bench = await Bench.open();
    await writeFile(bench.userFile, JSON.stringify({ sessions: { titles: false } }));
    const { flags } = await bench.serve({ script, title: () => 'Look' });
    const { events, session } = await runTitled(bench, flags);
    expect(session.title).toBe(TASK);
    expect(session.metadata?.titleFailure).toBeUndefined();
    expect(events.some(({ type }) => type === 'session:titled')).toBe(false);
  });

  it('stays if the model answers something else, and the session says why', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script, title: () => "I'm sorry, I can't help with that." });
    const { session } = await runTitled(bench, flags);
    expect(session).toMatchObject({ title: TASK, metadata: { titleFailure: { tries: 1 } } });
  });
});
