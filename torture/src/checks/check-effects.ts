import type { EffectLine } from '../records/lines.ts';
import type { StoredMessage } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';

/**
 * No call's side effect began twice, none was done by a call that is not in the log or that the log says was never started, and each call
 * of the log stands there once.
 */
export function checkEffects(effects: readonly EffectLine[], stored: readonly StoredMessage[]): Defect[] {
  const states = new Map<string, string>();
  const defects: Defect[] = [];
  for (const { sequence, parts } of stored) {
    for (const { part } of parts) {
      if (part.type !== 'tool') continue;
      if (states.has(part.callId))
        defects.push(
          defect('duplicate-message', `the call ${part.callId} stands in the log again at m${sequence}`),
        );
      states.set(part.callId, part.startedAt === undefined ? 'not started' : part.state);
    }
  }
  const begun = new Map<string, EffectLine>();
  for (const effect of effects) {
    const { callId, by } = effect;
    const before = begun.get(callId);
    if (before !== undefined)
      defects.push(
        defect('repeated-side-effect', `${callId} was started by ${before.by}, and again by ${by}`),
      );
    begun.set(callId, effect);
    const state = states.get(callId);
    if (state === undefined)
      defects.push(defect('orphan-call', `${callId} had its effect and is not in the log`));
    if (state === 'not started')
      defects.push(defect('orphan-call', `${callId} had its effect, and the log says it was not started`));
  }
  for (const [callId, state] of states) {
    const hasEffect = /^c\d+-[abs]$/.test(callId);
    if (hasEffect && state === 'completed' && !begun.has(callId))
      defects.push(defect('lost-message', `${callId} is completed in the log and had no effect`));
  }
  return defects;
}
