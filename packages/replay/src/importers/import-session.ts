import { TextDecoder } from 'node:util';
import type { Message } from '@longhaul/protocol';
import type { ImportReport } from './report.ts';
import { type ImportOptions, SessionReader } from './session-reader.ts';

export interface SessionImport {
  /** The messages in order, each as soon as it is complete. */
  readonly messages: AsyncIterable<Message>;
  /** The report so far; complete when `messages` has ended. */
  readonly report: ImportReport;
}

/**
 * Reads a recorded session of Claude Code, Codex, OpenCode, pi, mini-swe-agent, SWE-agent or OpenHands, chat messages
 * in OpenAI's form, or a `longhaul export`. The format is detected from the content.
 *
 * Memory does not grow with the file. No content makes it throw: unreadable content is in `report.skipped`, and
 * `report.problem` says why a file has no message. Errors of the source, such as a failing disk, are thrown.
 *
 * ```ts
 * const { messages, report } = importSession(createReadStream('session.jsonl'));
 * for await (const message of messages) await store(message);
 * console.log(report.format, report.calls);
 * ```
 */
export function importSession(source: AsyncIterable<Uint8Array>, options: ImportOptions = {}): SessionImport {
  const reader = new SessionReader(options);
  return { messages: readAll(source, reader, options), report: reader.report };
}

/** Reads a recorded session that is in memory, as `importSession` does. */
export function readSession(
  content: string | Uint8Array,
  options: ImportOptions = {},
): { messages: Message[]; report: ImportReport } {
  const reader = new SessionReader(options);
  const text = typeof content === 'string' ? content : decoderFor(content).decode(content);
  return { messages: [...reader.push(text), ...reader.end()], report: reader.report };
}

async function* readAll(
  source: AsyncIterable<Uint8Array>,
  reader: SessionReader,
  { storePack, storeChild }: ImportOptions,
): AsyncGenerator<Message> {
  const storeRest = async () => {
    for (const text of reader.takeChildren()) {
      const problem = await storeChild?.(text);
      if (problem !== undefined) reader.refuse(problem, 'children');
    }
    for (const pack of reader.takePacks()) {
      const problem = await storePack?.(pack);
      if (problem !== undefined) reader.refuse(problem, 'recorded files');
    }
  };
  let decoder: TextDecoder | undefined;
  for await (const bytes of source) {
    decoder ??= decoderFor(bytes);
    yield* reader.push(decoder.decode(bytes, { stream: true }));
    await storeRest();
  }
  yield* reader.push(decoder?.decode() ?? '');
  yield* reader.end();
  await storeRest();
}

/**
 * Returns a decoder for UTF-8, or for UTF-16 if the byte order mark is that of UTF-16. Shells on Windows write UTF-16.
 */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8');
}
