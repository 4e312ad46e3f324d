import { writeFile } from 'node:fs/promises';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { hasToolCall, lastUserText, type Script, type ScriptToolCall } from '@longhaul/scripted-model';
import { expect } from 'vitest';
import { Bench } from '../harness.ts';
import { Editor, type EditorOptions } from './editor.ts';

/** A bench whose configuration names a scripted model, and the editors of a test. */
export class EditorBench implements AsyncDisposable {
  readonly bench: Bench;
  /** The texts of the last user messages that the model got. */
  readonly prompts: string[] = [];
  /** Resolves the answer to a prompt with "hold". */
  readonly held = Promise.withResolvers<void>();
  /** All answers of the model wait for it. */
  gate: Promise<void> = Promise.resolve();
  readonly #editors: Editor[] = [];

  private constructor(bench: Bench) {
    this.bench = bench;
  }

  static async open(config = ''): Promise<EditorBench> {
    const made = new EditorBench(await Bench.open());
    const { server } = await made.bench.serve({ script: (request) => made.#answer(request) });
    const models = '{ scripted: { window: 16000 }, other: { window: 16000 } }';
    await writeFile(
      made.bench.userFile,
      `model: local/scripted\nsandbox: { driver: local }\nproviders:\n  local: { kind: openai-compatible, baseUrl: "${server.url}", accepts: { images: true }, models: ${models} }\n${config}`,
    );
    return made;
  }

  get folder(): string {
    return this.bench.workspace;
  }

  async editor(options: EditorOptions = {}): Promise<Editor> {
    const editor = await Editor.open(this.bench, options);
    this.#editors.push(editor);
    return editor;
  }

  /** Closes all, and checks what every connection must be like. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const editor of this.#editors) {
        await editor[Symbol.asyncDispose]();
        const { stdout } = await editor.ended;
        for (const line of stdout.trim().split('\n'))
          expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
        expect(editor.schema.problems).toEqual([]);
      }
    } finally {
      await this.bench[Symbol.asyncDispose]();
    }
  }

  /** Answers by the words of the last user message. */
  readonly #answer: Script = async ({ messages }) => {
    const text = lastUserText(messages);
    this.prompts.push(text);
    await this.gate;
    if (text.includes('greet')) return { reasoning: 'They greet.', text: 'Hello there.' };
    if (text.includes('hold')) await this.held.promise;
    for (const { words, call } of CALLS) {
      if (text.includes(words) && !wasCalled(messages, call)) return { text: '', toolCalls: [call] };
    }
    return 'Done.';
  };
}

function wasCalled(messages: Parameters<typeof hasToolCall>[0], { name }: ScriptToolCall): boolean {
  // Only calls of this turn.
  const start = messages.findLastIndex(({ role }) => role === 'user');
  return hasToolCall(messages.slice(start), name);
}

/** What the model calls first for a prompt with these words. */
const CALLS: readonly { words: string; call: ScriptToolCall }[] = [
  { words: 'order a pizza', call: { name: 'asking_order', arguments: {} } },
  { words: 'make a file', call: { name: 'write', arguments: { path: 'made.txt', content: 'one\ntwo\n' } } },
  {
    words: 'change the file',
    call: { name: 'edit', arguments: { path: 'notes.txt', old: 'two', new: 'zwei' } },
  },
  { words: 'look at the file', call: { name: 'read', arguments: { path: 'notes.txt' } } },
  { words: 'wait for me', call: { name: 'bash', arguments: { command: 'echo begun; sleep 600' } } },
  { words: 'touch it', call: { name: 'bash', arguments: { command: 'touch made' } } },
  {
    words: 'plan it',
    call: {
      name: 'todo',
      arguments: {
        items: [
          { text: 'Look', status: 'done' },
          { text: 'Act', status: 'in_progress' },
        ],
      },
    },
  },
];

export function kindsOf(updates: readonly SessionUpdate[]): string[] {
  return [...new Set(updates.map(({ sessionUpdate }) => sessionUpdate))];
}
