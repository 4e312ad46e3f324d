import { type ErrorCode, type JsonObject, LonghaulError } from '@longhaul/protocol';
import type { FilesSettings } from '../files-settings.ts';
import type { FilesStep } from '../record/workspace-recorder.ts';

export interface WorkerData {
  workspace: string;
  tree: string | undefined;
  cacheFolder: string;
  key: Uint8Array;
  settings: FilesSettings;
  /** Where to wait until a step has been reported. Undefined: steps are not reported. */
  steps: SharedArrayBuffer | undefined;
}

/** From the main thread. Jobs are done one after another. */
export type ToWorker =
  | { type: 'record'; id: number }
  | { type: 'close'; id: number }
  | { type: 'restore'; id: number; tree: string; except: ReadonlySet<string> | undefined }
  | { type: 'answer'; id: number; outcome: Outcome };

/** From the worker. `ask` wants something from the blob store. */
export type FromWorker =
  | { type: 'done'; id: number; outcome: Outcome }
  | { type: 'step'; step: FilesStep; path: string }
  | { type: 'ask'; id: number; ask: BlobRequest };

export type BlobRequest =
  | { kind: 'read'; blob: string; start: number; length: number }
  | { kind: 'stat'; blob: string }
  | { kind: 'put'; blob: string; bytes: Uint8Array };

export type Outcome = { ok: true; value: unknown } | { ok: false; error: SentError };

/** Errors lose their class between threads. */
interface SentError {
  code: ErrorCode | undefined;
  message: string;
  data: JsonObject | undefined;
  stack: string | undefined;
}

export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const own =
      error instanceof LonghaulError
        ? { code: error.code, data: error.data }
        : { code: undefined, data: undefined };
    return { ok: false, error: { ...own, message: error.message, stack: error.stack } };
  }
}

/** Returns the value, or throws the error of the other thread. */
export function resultOf(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  const { code, message, data, stack } = outcome.error;
  if (code === undefined) throw Object.assign(new Error(message), { stack });
  throw new LonghaulError(code, message, { data });
}
