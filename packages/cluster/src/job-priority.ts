import { PRIORITIES, type Priority } from '@longhaul/protocol';

/** More sessions of one owner do not wait. */
const RANK = 1_000_000;

/**
 * The priority of a job. Among jobs of the same rank, those of an owner with fewer sessions come first.
 *
 * @param count The owner's other sessions with work.
 */
export function jobPriority(priority: Priority, count: number): number {
  return rankOf(priority) - Math.min(count, RANK - 1);
}

/** The priority of a job that had its turn already: it is the next of its rank. */
export function nextInTurn(priority: number): number {
  return Math.ceil(priority / RANK) * RANK;
}

/** The priority of a job whose session got another priority. */
export function changedPriority(job: number, session: Priority): number {
  return rankOf(session) + job - nextInTurn(job);
}

function rankOf(priority: Priority): number {
  return (PRIORITIES.indexOf(priority) - PRIORITIES.indexOf('normal')) * RANK;
}
