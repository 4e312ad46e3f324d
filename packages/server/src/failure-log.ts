import { toLonghaulError } from '@longhaul/protocol';
import type { Logger } from 'pino';

/** Logs a failure that no response can report. `what` names the work that failed. */
export type FailureLog = (what: string, error: unknown) => void;

/** A session can be deleted while work on it ends, or while its events are read. That is only information. */
export function createFailureLog(log: Logger): FailureLog {
  return (what, error) => {
    const level = isDeletedSession(error) ? 'info' : 'error';
    log[level]({ err: error }, `${what} failed`);
  };
}

export function isDeletedSession(error: unknown): boolean {
  return toLonghaulError(error).code === 'session_not_found';
}
