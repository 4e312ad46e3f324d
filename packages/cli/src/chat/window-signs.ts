import type { LonghaulEvent } from '@longhaul/protocol';
import { fitLine } from '../render/format.ts';
import type { Surface } from './surface/surface.ts';

/** Shows in the window of the terminal what a conversation is and whether something is at work. */
export function showWork(
  surface: Surface,
  { isBusy, isWorking, title }: { isBusy: boolean; isWorking: boolean; title: string },
): void {
  surface.setWorking(isWorking);
  surface.setTitle(`${isBusy ? '● ' : ''}${fitLine(title || 'longhaul', 60)}`);
}

/** Notifies a person who looks at another window when a run has ended. */
export function notifyEnd(
  surface: Surface,
  event: LonghaulEvent,
  { title, summary = '' }: { title: string; summary?: string | undefined },
): void {
  if (event.type !== 'run:finished') return;
  const how = event.status === 'completed' ? 'Done' : `Stopped (${event.status})`;
  const about = event.status === 'completed' && summary !== '' ? `. ${fitLine(summary, 160)}` : '';
  surface.notify(`${how}: ${fitLine(title, 40)}${about}`);
}
