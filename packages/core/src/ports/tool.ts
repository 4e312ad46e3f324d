import type { JsonObject, JsonValue, ToolOutputContent } from '@longhaul/protocol';
import type { BlobStore } from './blob-store.ts';
import type { ToolSchema } from './model-driver.ts';
import type { Sandbox } from './sandbox.ts';
import type { SearchHit } from './store/search-store.ts';

/**
 * Something the model can do.
 *
 * `parse` turns the model's arguments into the tool's own type, or says in words the model can act on what is wrong with
 * them. `execute` returns what the model sees; a failure that the model should know of (file not found, ambiguous match, exit code
 * 1) is a result with `isError`, not an exception. What it throws nevertheless becomes such a result.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly schema: ToolSchema;
  /** Runs alone: not beside other tools of its step. Default false. */
  readonly runsAlone?: boolean;
  /** Its outputs are never pruned. Default false. */
  readonly isProtected?: boolean;
  /** Cap of the text the model sees; the rest goes behind a handle. Default 120 000. */
  readonly maxOutputChars?: number;
  parse(input: JsonValue): ToolInput<Input>;
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}

export type ToolInput<Input> = { ok: true; input: Input } | { ok: false; reason: string };

export interface ToolResult {
  /** A short line for people: `src/app.ts (120 lines)`. */
  title?: string;
  content: ToolOutputContent[];
  isError?: boolean;
  /** Facts for programs, such as the exit code. Stored, not sent to the model. */
  metadata?: JsonObject;
  /**
   * The whole text is already in the blob store, because the tool cut the output itself while it came. The executor then adds the
   * handle's line to the text.
   */
  fullOutput?: { blobId: string; chars: number };
}

export interface ToolContext {
  readonly sessionId: string;
  readonly callId: string;
  /** The handle by which `recall` will find this call's full output. */
  readonly handle: string;
  readonly sandbox: Sandbox;
  readonly blobs: BlobStore;
  readonly history: SessionHistory;
  readonly signal: AbortSignal;
  /** Tells whoever watches what the tool is doing now. */
  progress(update: { title?: string; metadata?: JsonObject }): void;
}

/** The session's own past, hidden or not, for `recall`. */
export interface SessionHistory {
  search(terms: string, limit: number): Promise<SearchHit[]>;
  /** The full text behind a handle, or undefined if nothing stands there. */
  fullText(handle: string): Promise<string | undefined>;
}
