import type { BlobInfo, BlobStore } from '@longhaul/core';
import { createStreamSanitizer, keepHeadAndTail } from '@longhaul/core/tool-output';
import { toLonghaulError } from '@longhaul/protocol';

/** How much of one command's output is kept in the blob store. The rest is counted and reported as dropped. */
const MAX_KEPT_OUTPUT_BYTES = 256 * 1024 * 1024;

export type OutputStream = 'stdout' | 'stderr';

export interface CollectorOptions {
  /** Characters shown, both streams together. */
  maxChars: number;
  blobs: BlobStore;
  /** Default 256 MiB. */
  maxKeptBytes?: number;
}

export interface CollectedOutput {
  stdout: string;
  stderr: string;
  /** Characters of both streams together, after cleaning. */
  totalChars: number;
  cut: boolean;
  /** The whole output, both streams in order of arrival. Present if the output was cut and could be kept. */
  fullOutput?: { blobId: string; chars: number };
  /** The blob store's message, if it failed to keep the rest. */
  keepingFailed?: string;
  /** Characters that were not kept. */
  droppedChars: number;
}

/**
 * Collects a command's output as it arrives. Head and tail stay in memory. Once the output is longer than will be
 * shown, all of it goes to the blob store. Memory is bounded by a few times `maxChars`, whatever the length of the
 * output.
 */
export interface OutputCollector {
  /** The command must be blocked while the promise is pending. Never rejects. */
  push(chunk: Uint8Array, stream: OutputStream): Promise<void>;
  end(): Promise<CollectedOutput>;
  /** Returns the last lines so far that are not empty, at most three. */
  lastLines(): readonly string[];
}

export function createOutputCollector(options: CollectorOptions): OutputCollector {
  const { maxChars, blobs, maxKeptBytes = MAX_KEPT_OUTPUT_BYTES } = options;
  const sanitizers = { stdout: createStreamSanitizer(), stderr: createStreamSanitizer() };
  const shown = { stdout: createHeadAndTail(maxChars), stderr: createHeadAndTail(maxChars) };
  let early: string[] = [];
  let totalChars = 0;
  let lastLines: readonly string[] = [];
  let spill: Spill | undefined;
  // Both streams may push at the same time; the store gets their pieces in turn.
  let turn: Promise<void> = Promise.resolve();

  async function take(text: string, stream: OutputStream): Promise<void> {
    if (text === '') return;
    totalChars += text.length;
    shown[stream].push(text);
    lastLines = lastFilledLines(text, lastLines);
    if (spill === undefined && totalChars > maxChars) {
      spill = startSpill(blobs, maxKeptBytes);
      for (const piece of early) await spill.write(piece);
      early = [];
    }
    if (spill === undefined) early.push(text);
    else await spill.write(text);
  }

  return {
    push(chunk, stream) {
      turn = turn.then(() => take(sanitizers[stream].push(chunk), stream));
      return turn;
    },
    lastLines: () => lastLines,
    async end() {
      await turn;
      await take(sanitizers.stdout.end(), 'stdout');
      await take(sanitizers.stderr.end(), 'stderr');
      const kept = await spill?.end();
      const budgets = shareBudget(shown.stdout.size(), shown.stderr.size(), maxChars);
      return {
        stdout: shown.stdout.render(budgets.stdout),
        stderr: shown.stderr.render(budgets.stderr),
        totalChars,
        cut: totalChars > maxChars,
        droppedChars: kept?.droppedChars ?? 0,
        fullOutput: kept?.blob === undefined ? undefined : { blobId: kept.blob.id, chars: kept.chars },
        keepingFailed: kept?.failure,
      };
    },
  };
}

/**
 * Splits the characters between the streams. If both do not fit, each gets half, and what a short stream does not need
 * goes to the other.
 */
function shareBudget(stdoutChars: number, stderrChars: number, maxChars: number) {
  const half = Math.floor(maxChars / 2);
  const stderr = Math.min(stderrChars, Math.max(half, maxChars - stdoutChars));
  return { stderr, stdout: maxChars - stderr };
}

interface HeadAndTail {
  push(text: string): void;
  size(): number;
  render(maxChars: number): string;
}

/**
 * Keeps the first `maxChars` and at least the last `maxChars` / 2 characters of a text, enough to show any share of it
 * up to `maxChars`.
 */
function createHeadAndTail(maxChars: number): HeadAndTail {
  let head = '';
  let tail = '';
  let size = 0;
  return {
    push(text) {
      const room = Math.max(0, maxChars - size);
      size += text.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      // Trimmed only occasionally, so that the cost stays linear in the output.
      if (tail.length > maxChars * 2) tail = tail.slice(-maxChars);
    },
    size: () => size,
    render(budget) {
      if (size <= budget) return head + tail;
      const end = head.length + tail.length === size ? head + tail : tail;
      return keepHeadAndTail(head, budget, { end, totalChars: size }).text;
    },
  };
}

interface Spill {
  write(text: string): Promise<void>;
  end(): Promise<{ blob?: BlobInfo; chars: number; droppedChars: number; failure?: string }>;
}

/**
 * Passes text to `putStream` piece by piece, and waits until each is taken. If the store fails, the rest is dropped;
 * nothing throws.
 */
function startSpill(blobs: BlobStore, maxBytes: number): Spill {
  const pipe = createPipe();
  let open = true;
  let bytes = 0;
  let chars = 0;
  let droppedChars = 0;
  const stored = blobs.putStream(pipe.source()).then(
    (blob) => ({ blob }),
    (thrown: unknown) => ({ failure: toLonghaulError(thrown).message }),
  );
  const stopped = stored.then(() => {
    open = false;
  });

  return {
    async write(text) {
      const data = Buffer.from(text);
      if (!open || bytes + data.length > maxBytes) {
        // Once a piece is dropped, all later ones are too, so that the kept text is a beginning without gaps.
        bytes = Number.POSITIVE_INFINITY;
        droppedChars += text.length;
        return;
      }
      bytes += data.length;
      chars += text.length;
      await Promise.race([pipe.give(data), stopped]);
    },
    async end() {
      await Promise.race([pipe.give(undefined), stopped]);
      return { chars, droppedChars, ...(await stored) };
    },
  };
}

/** Passes one value at a time from a writer to a reader. `give` resolves when the reader asks for the next one. */
function createPipe() {
  let waitingReader: (() => void) | undefined;
  let offered: { data: Uint8Array | undefined; taken: () => void } | undefined;

  return {
    give(data: Uint8Array | undefined): Promise<void> {
      return new Promise((resolve) => {
        offered = { data, taken: resolve };
        waitingReader?.();
      });
    },
    async *source(): AsyncGenerator<Uint8Array> {
      for (;;) {
        while (offered === undefined) {
          await new Promise<void>((resolve) => {
            waitingReader = resolve;
          });
        }
        const { data, taken } = offered;
        offered = undefined;
        waitingReader = undefined;
        if (data === undefined) {
          taken();
          return;
        }
        yield data;
        taken();
      }
    },
  };
}

const KEPT_LINES = 3;

/**
 * Returns the last lines that are not empty, including those of a new piece. A line that arrives in two pieces counts
 * as two.
 */
function lastFilledLines(text: string, before: readonly string[]): readonly string[] {
  const lines = text
    .slice(-2000)
    .split('\n')
    .map((line) => line.trimEnd());
  return [...before, ...lines.filter((line) => line.trim() !== '')].slice(-KEPT_LINES);
}
