import type { CommandFact } from './ledger-facts.ts';

/** Returns how a command ended in its last run, with what a check counted. */
export function outcomeOf({ exitCode, ended }: Pick<CommandFact, 'exitCode' | 'ended'>): string {
  if (exitCode === 0 || (exitCode === undefined && ended === 'done')) return 'ok';
  return exitCode === undefined ? (ended ?? 'unknown outcome') : `exit ${exitCode}`;
}
