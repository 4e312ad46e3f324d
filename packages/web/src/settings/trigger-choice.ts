import type { Settings } from '@longhaul/protocol/api';

type Trigger = Settings['compression']['trigger'];

/** A trigger as a choice of a list: `default`, `overflow`, `manual` or `threshold`. */
export type TriggerKind = 'default' | 'overflow' | 'manual' | 'threshold';

export function triggerKind(trigger: Trigger): TriggerKind {
  if (trigger === null) return 'default';
  return typeof trigger === 'string' ? trigger : 'threshold';
}

/** Percent of the window. Undefined for other triggers. */
export function triggerPercent(trigger: Trigger): number | undefined {
  return trigger === null || typeof trigger === 'string' ? undefined : Math.round(trigger.threshold * 100);
}

export function triggerOf(kind: TriggerKind, percent: number): Trigger {
  if (kind === 'default') return null;
  return kind === 'threshold' ? { threshold: percent / 100 } : kind;
}
