import { TextDecoder } from 'node:util';
import type { Message } from '@longhaul/protocol';
import type { ImportReport } from './report.ts';
import { type ImportOptions, SessionReader } from './session-reader.ts';

export interface SessionImport {
  /** The messages in order, each as soon as it has closed. */
  readonly messages: AsyncIterable<Message>;
  /** What is known so far; complete once `messages` has ended. */
  readonly report: ImportReport;
}

/**
 * Reads a recorded session, whatever agent wrote it: Claude Code, Codex, OpenCode, pi, mini-swe-agent, SWE-agent, OpenHands, chat
 * messages of OpenAI's form, or `longhaul export`. The format is found in the content.
 *
 * Memory does not grow with the file. Nothing in the file makes it throw: what cannot be read is in `report.skipped`, and a file
 * without any message says why in `report.problem`. An error of the source itself (a disk that fails) is thrown.
 *
 * ```ts
 * const { messages, report } = importSession(createReadStream('session.jsonl'));
 * for await (const message of messages) await store(message);
 * console.log(report.format, report.calls);
 * ```
 */
export function importSession(source: AsyncIterable<Uint8Array>, options: ImportOptions = {}): SessionImport {
  const reader = new SessionReader(options);
  return { messages: readAll(source, reader), report: reader.report };
}

/** The same for a file that is in memory already. */
export function readSession(
  content: string | Uint8Array,
  options: ImportOptions = {},
): { messages: Message[]; report: ImportReport } {
  const reader = new SessionReader(options);
  const text = typeof content === 'string' ? content : decoderFor(content).decode(content);
  return { messages: [...reader.push(text), ...reader.end()], report: reader.report };
}

async function* readAll(source: AsyncIterable<Uint8Array>, reader: SessionReader): AsyncGenerator<Message> {
  let decoder: TextDecoder | undefined;
  for await (const bytes of source) {
    decoder ??= decoderFor(bytes);
    yield* reader.push(decoder.decode(bytes, { stream: true }));
  }
  yield* reader.push(decoder?.decode() ?? '');
  yield* reader.end();
}

/** UTF-8, or UTF-16 where its mark says so: what a shell on Windows writes. */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8');
}
