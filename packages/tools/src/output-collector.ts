import type { BlobInfo, BlobStore } from '@longhaul/core';
import { createStreamSanitizer, keepHeadAndTail } from '@longhaul/core/tool-output';
import { toLonghaulError } from '@longhaul/protocol';

/** Most of one command's output that is kept in the blob store. The rest is counted, and said to be dropped. */
export const MAX_KEPT_OUTPUT_BYTES = 256 * 1024 * 1024;

export type OutputStream = 'stdout' | 'stderr';

export interface CollectorOptions {
  /** Characters shown of both streams together. */
  maxChars: number;
  blobs: BlobStore;
  /** Default 256 MiB. */
  maxKeptBytes?: number;
}

export interface CollectedOutput {
  stdout: string;
  stderr: string;
  /** Of both streams together, cleaned. */
  totalChars: number;
  cut: boolean;
  /** The whole, both streams as they came. Present when the output was cut and could be kept. */
  fullOutput?: { blobId: string; chars: number };
  /** Why the rest is lost, when it is: the blob store's own words. */
  keepingFailed?: string;
  /** Characters beyond what is kept. */
  droppedChars: number;
}

/**
 * Takes a command's output as it comes: head and tail stay in memory, and once there is more than will be shown, everything
 * goes to the blob store. Memory is bounded by a few times `maxChars`, whatever the length of the output.
 */
export interface OutputCollector {
  /** While the promise is pending the command must be held back. Never rejects. */
  push(chunk: Uint8Array, stream: OutputStream): Promise<void>;
  end(): Promise<CollectedOutput>;
  /** The last lines so far that are not empty, at most three. */
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
  // The two streams may push at the same time; the store gets one piece after the other.
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

/** Each stream gets what it needs if both fit; else a short one is shown whole and a long one takes the rest. */
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

/** Keeps the first `maxChars` and the last `maxChars` / 2 of a text, enough to show any share of it up to `maxChars`. */
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
      // Trimmed only now and then, so that a long output costs no more than its length.
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

/** Hands text to `putStream` piece by piece, waiting until each is taken. A store that fails stops taking; nothing throws. */
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
        // Once a piece is dropped, all later ones are: what is kept is the beginning, without holes.
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

/** One value at a time from a writer to a reader; `give` is done when the reader asks for the next. */
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

/** A line that comes in two pieces counts as two. */
function lastFilledLines(text: string, before: readonly string[]): readonly string[] {
  const lines = text
    .slice(-2000)
    .split('\n')
    .map((line) => line.trimEnd());
  return [...before, ...lines.filter((line) => line.trim() !== '')].slice(-KEPT_LINES);
}
