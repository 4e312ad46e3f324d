import type { EffectLine } from '../records/lines.ts';
import type { StoredMessage } from '../records/read-database.ts';
import { type Defect, defect } from './defect.ts';

/**
 * Checks that no call's side effect started twice, that every effect belongs to a call that the log has as started,
 * that every completed call had its effect, and that each call is in the log once.
 */
export function checkEffects(effects: readonly EffectLine[], stored: readonly StoredMessage[]): Defect[] {
  const states = new Map<string, string>();
  const defects: Defect[] = [];
  for (const { sequence, parts } of stored) {
    for (const { part } of parts) {
      if (part.type !== 'tool') continue;
      if (states.has(part.callId))
        defects.push(
          defect('duplicate-message', `the call ${part.callId} is in the log again at m${sequence}`),
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
      defects.push(defect('orphan-call', `${callId} had its effect but is not in the log`));
    if (state === 'not started')
      defects.push(defect('orphan-call', `${callId} had its effect but is not started in the log`));
  }
  for (const [callId, state] of states) {
    const hasEffect = /^c\d+-[abs]$/.test(callId);
    if (hasEffect && state === 'completed' && !begun.has(callId))
      defects.push(defect('lost-message', `${callId} is completed in the log but had no effect`));
  }
  return defects;
}
