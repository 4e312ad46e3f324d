import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer, lastUserText } from '@longhaul/scripted-model';
import { fillLongSession } from '../long-session.ts';
import { runInTerminal, type TerminalStep } from './terminal.ts';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/longhaul.js', import.meta.url));
const DELTAS_PER_SECOND = 200;
const PROMPT = '›';

export interface ChatSize {
  rounds: number;
  /** Turns before the last measurement of memory. */
  turns: number;
  /** Pause before it. */
  pauseSeconds: number;
  /** Messages of the long session, a multiple of 100. */
  messages: number;
  /** Keys whose echo is measured. */
  echoes: number;
  /** Time for which an idle chat is measured. */
  idleSeconds: number;
}

/** Values of one kind, in milliseconds or megabytes. */
export interface ChatSamples {
  promptMs: number[];
  longMs: number[];
  echoMs: number[];
  /** Processor time in a second of rest. */
  idleCpuMs: number[];
  startMb: number[];
  /** Memory right after `turns` turns. V8 lets the young generation of a busy process grow. */
  busyMb: number;
  /** Memory when the chat has been idle after them: what it keeps. */
  turnsMb: number;
}

/**
 * Measures the chat in a pseudo-terminal. The first start of each kind warms up the compile cache and is not counted.
 *
 * @param folder A new folder, for the workspace and the data.
 */
export async function sampleChat(
  folder: string,
  { rounds, turns, messages, echoes, idleSeconds, pauseSeconds }: ChatSize,
): Promise<ChatSamples> {
  const workspace = join(folder, 'chat');
  await mkdir(workspace);
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
  const data = join(folder, '.local/share/longhaul');
  await mkdir(data, { recursive: true });
  await fillLongSession(join(data, 'longhaul.db'), { workspace, messages });
  const answers = { script: answer, countTokens: (text: string) => Math.ceil(text.length / 4) };
  await using fast = await createScriptedModelServer({ ...answers, keepBodies: false });
  await using slow = await createScriptedModelServer({
    ...answers,
    chunkChars: 5,
    chunkDelayMs: 1_000 / DELTAS_PER_SECOND,
  });
  const chat = async (steps: readonly TerminalStep[], { server = fast, session = [] as string[] } = {}) => {
    const model = ['--model', `openai-compatible/${server.model}`, '--base-url', server.url];
    const command = [process.execPath, COMMAND, 'chat', ...session, ...model];
    return await runInTerminal({ command, cwd: workspace, env: { ...env, TERM: 'xterm-256color' }, steps });
  };

  const samples: ChatSamples = {
    promptMs: [],
    longMs: [],
    echoMs: [],
    idleCpuMs: [],
    startMb: [],
    busyMb: 0,
    turnsMb: 0,
  };
  for (let round = 0; round <= rounds; round += 1) {
    const [prompt, , mb, idle] = await chat([
      ['until', PROMPT],
      ['rest', 3],
      ['memory'],
      ['cpu', idleSeconds],
    ]);
    const [long] = await chat([['until', `Step ${messages}:`]], { session: ['long'] });
    if (round === 0) continue;
    samples.promptMs.push(Number(prompt));
    samples.longMs.push(Number(long));
    samples.startMb.push(Number(mb));
    samples.idleCpuMs.push(Number(idle) / idleSeconds);
  }
  const streamed = await chat(
    [
      ['until', PROMPT],
      ['rest', 1],
      ['type', 'stream\r'],
      ['elapsed', 'word word'],
      ['echoes', echoes],
    ],
    { server: slow },
  );
  samples.echoMs = streamed.at(-1) as number[];
  const conversation = Array.from({ length: turns }, (_, turn): TerminalStep[] => [
    ['type', `turn ${turn}\r`],
    ['elapsed', `Answer ${turn}.`],
  ]);
  const after = await chat([
    ['until', PROMPT],
    ['rest', 1],
    ...conversation.flat(),
    ['memory'],
    ['rest', pauseSeconds],
    ['memory'],
  ]);
  samples.busyMb = Number(after.at(-3));
  samples.turnsMb = Number(after.at(-1));
  return samples;
}

function answer({ messages }: { messages: Parameters<typeof lastUserText>[0] }): string {
  const [, turn] = /turn (\d+)/.exec(lastUserText(messages)) ?? [];
  return turn === undefined ? 'word '.repeat(4_000) : `Answer ${turn}.`;
}
