import { createMemoryStorage } from '@longhaul/storage/memory';
import { answer, calls, playedDriver } from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import { type CreateRuntimeOptions, createRuntime } from './create-runtime.ts';
import { defineTool } from './ports/define-tool.ts';

const TASK = { workspace: '/nowhere', model: 'any/model', task: 'the task' };
const CONTENT = [{ type: 'text' as const, text: 'the task' }];

describe('createRuntime', () => {
  it('runs a session with a model and a tool alone', async () => {
    const seen: string[] = [];
    const note = defineTool({
      name: 'note',
      description: 'Notes it.',
      execute: (input, { sandbox }) => {
        seen.push(JSON.stringify(input), sandbox.workspacePath);
        return 'noted';
      },
    });
    const model = playedDriver([calls({ name: 'note', input: { a: 1 } }), answer('Done.')]);
    const runtime = createRuntime({ ...createMemoryStorage(), model, tools: [note] });
    const session = await runtime.createSession(TASK);
    expect(await runtime.run(session.id, { content: CONTENT })).toMatchObject({
      status: 'completed',
      text: 'Done.',
    });
    expect(seen).toEqual(['{"a":1}', '/nowhere']);
  });

  it('tells a tool that needs a sandbox how to give it one, and the run continues', async () => {
    const shell = defineTool({
      name: 'shell',
      description: 'Runs a command.',
      execute: async (_, { sandbox }) => {
        await sandbox.exec('ls', { timeoutMs: 1_000, onOutput: () => {} });
        return 'never';
      },
    });
    const model = playedDriver([calls({ name: 'shell' }), answer('I cannot.')]);
    const storage = createMemoryStorage();
    const runtime = createRuntime({ ...storage, model, tools: [shell] });
    const session = await runtime.createSession(TASK);
    expect(await runtime.run(session.id, { content: CONTENT })).toMatchObject({ text: 'I cannot.' });
    const { messages } = await storage.store.loadLog(session.id);
    expect(JSON.stringify(messages)).toContain('Pass openSandbox to give it one.');
  });

  it('replaces each default by the option of the same name', async () => {
    const model = playedDriver([answer('from the default')]);
    const other = playedDriver([answer('from driverFor')]);
    const runtime = createRuntime({ ...createMemoryStorage(), model, driverFor: async () => other });
    const session = await runtime.createSession(TASK);
    expect(await runtime.run(session.id, { content: CONTENT })).toMatchObject({ text: 'from driverFor' });
  });

  it('continues after a tool that returns no result, and the model sees why', async () => {
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      execute: () => ({ rows: 2 }) as unknown as string,
    });
    const model = playedDriver([calls({ name: 'count' }), answer('It has a bug.')]);
    const storage = createMemoryStorage();
    const runtime = createRuntime({ ...storage, model, tools: [count] });
    const session = await runtime.createSession(TASK);
    expect(await runtime.run(session.id, { content: CONTENT })).toMatchObject({ text: 'It has a bug.' });
    const { messages } = await storage.store.loadLog(session.id);
    expect(JSON.stringify(messages)).toContain('The tool count ran, but returned an object without content.');
  });

  it('names a missing option, and tools of the same name or with an unusable one', () => {
    const all: CreateRuntimeOptions = { ...createMemoryStorage(), model: playedDriver([]) };
    const tool = defineTool({ name: 'one', description: 'Is one.', execute: () => {} });
    const create = (options: object) => () => createRuntime({ ...all, ...options });
    expect(create({ store: undefined })).toThrow('createRuntime needs store and blobs.');
    expect(create({ model: undefined })).toThrow('createRuntime needs a model, or driverFor');
    expect(create({ tools: [tool, tool] })).toThrow('Two tools have the name one.');
    expect(create({ tools: [{ ...tool, name: 'no. 1' }] })).toThrow('A tool cannot be named "no. 1".');
    expect(create({ model: undefined, driverFor: async () => all.model })).not.toThrow();
  });
});
