/**
 * Imports a session of many megabytes that another process writes at the same time, and prints this process's peak
 * memory as JSON: `node --conditions=longhaul-src packages/replay/test/import-memory.ts 500 claude-code`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { importSession } from '@longhaul/replay';

const PIECE_CHARS = 65_536;
const WORDS = 'const total = items.reduce((sum, item) => sum + item.price, 0); // src/cart.ts\n';

const [megabytes = '100', format = 'claude-code', resultChars = '6000', role = 'read'] =
  process.argv.slice(2);
const targetBytes = Number(megabytes) * 1_000_000;

if (role === 'write') await write(format === 'claude-code' ? jsonLines() : document());
else await read();

async function read(): Promise<void> {
  const argv = [...process.execArgv, import.meta.filename, megabytes, format, resultChars, 'write'];
  const writer = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { messages, report } = importSession(writer.stdout);
  let parts = 0;
  for await (const message of messages) parts += message.parts.length;
  const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1000);
  const counts = { format: report.format, messages: report.messages, calls: report.calls, parts };
  console.log(JSON.stringify({ ...counts, peakMegabytes }));
}

async function write(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}

/** Rows in the form of Claude Code: three for each step, and the result twice in its row. */
function* jsonLines(): Generator<string> {
  yield* pieces((step) =>
    [assistantRow(step, { type: 'text', text: `Step ${step}.` }), callRow(step), resultRow(step)]
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
}

/** Joins steps into pieces of the size in which a file is read. */
function* pieces(textOfStep: (step: number) => string): Generator<string> {
  let waiting = '';
  for (let step = 0, bytes = 0; bytes < targetBytes; step += 1) {
    waiting += textOfStep(step);
    if (waiting.length < PIECE_CHARS) continue;
    bytes += waiting.length;
    yield waiting;
    waiting = '';
  }
}

function assistantRow(step: number, block: object) {
  const message = {
    id: `msg_${step}`,
    role: 'assistant',
    model: 'claude',
    content: [block],
    usage: { input_tokens: 9 },
  };
  return { ...rowOf(step, 'assistant'), uuid: `${step}-${JSON.stringify(block).length}`, message };
}

function callRow(step: number) {
  return assistantRow(step, {
    type: 'tool_use',
    id: `toolu_${step}`,
    name: 'Read',
    input: { file_path: `/a/${step}.ts` },
  });
}

function resultRow(step: number) {
  const content = [{ type: 'tool_result', tool_use_id: `toolu_${step}`, content: resultText(step) }];
  return {
    ...rowOf(step, 'user'),
    uuid: `${step}-r`,
    message: { role: 'user', content },
    toolUseResult: resultText(step),
  };
}

function rowOf(step: number, type: string) {
  return {
    type,
    sessionId: 'big',
    isSidechain: false,
    cwd: '/a',
    timestamp: new Date(1.7e12 + step * 1000).toISOString(),
  };
}

function resultText(step: number): string {
  return `${step}\n${WORDS.repeat(Number(resultChars) / WORDS.length)}`;
}

/** One JSON document in one line, in the form of mini-swe-agent's messages. */
function* document(): Generator<string> {
  yield '{"info":{"mini_version":"2"},"messages":[{"role":"user","content":"Fix it."}';
  yield* pieces((step) => {
    const call = {
      id: `call_${step}`,
      function: { name: 'bash', arguments: `{"command":"cat ${step}.ts"}` },
    };
    const content = resultText(step);
    const rows = [
      { role: 'assistant', content: `Step ${step}.`, tool_calls: [call] },
      { role: 'tool', tool_call_id: `call_${step}`, content, extra: { raw_output: content } },
    ];
    return rows.map((row) => `,${JSON.stringify(row)}`).join('');
  });
  yield ']}';
}
