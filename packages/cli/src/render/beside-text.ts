import type { LonghaulEvent } from '@longhaul/protocol';

/** Events that can come at any time, also in the middle of the model's text. */
const BESIDE_TEXT: ReadonlySet<LonghaulEvent['type']> = new Set([
  'files:changed',
  'context:warning',
  'budget:warning',
  'budget:exceeded',
  'process:started',
  'process:ended',
  'subtask:started',
  'subtask:progress',
  'subtask:finished',
  'message:queued',
  'queue:changed',
  'run:waiting',
  'session:status',
  'trust:requested',
  'trust:answered',
]);

/** Whether the event does not end the model's text. */
export function comesBesideText(event: LonghaulEvent): boolean {
  return BESIDE_TEXT.has(event.type);
}
