import type { Runtime } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { AgentReport } from './settings.ts';

/** Resumes the session, and returns the line that the process prints at its end. */
export async function resumeSession(
  runtime: Runtime,
  sessionId: string,
  signal: AbortSignal,
): Promise<AgentReport> {
  try {
    const result = await runtime.resume(sessionId, { signal });
    if (result.status === 'nothing') return { status: 'nothing', text: '' };
    const { status, text, error } = result;
    return { status, text, error: error === undefined ? undefined : `${error.code}: ${error.message}` };
  } catch (error) {
    // The cancel or stop may come before the run has started.
    const isEnd = error instanceof LonghaulError && ['cancelled', 'interrupted'].includes(error.code);
    if (isEnd) return { status: error.code, text: '' };
    // The parent knows whether the session may be busy.
    if (error instanceof LonghaulError && error.code === 'session_busy') return { status: 'busy', text: '' };
    throw error;
  }
}
