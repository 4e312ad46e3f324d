import type { JournalLine } from '@longhaul/scripted-model';
import { TASK_ID } from '../agent/settings.ts';
import { TASK } from '../model/plan.ts';
import { Branches } from '../records/branches.ts';
import {
  type CancelLine,
  type EffectLine,
  type LifeLine,
  type QueueLine,
  type ReceivedLine,
  readLines,
  type TickLine,
} from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { readDatabase, type StoredSession } from '../records/read-database.ts';
import { checkBranches } from './check-branches.ts';
import { checkCancels } from './check-cancels.ts';
import { checkBlobs, checkDatabase, checkEnded } from './check-database.ts';
import { checkEffects } from './check-effects.ts';
import { checkFrozen } from './check-frozen.ts';
import { checkMessages } from './check-messages.ts';
import { checkNotes } from './check-notes.ts';
import { checkRequests } from './check-requests.ts';
import { checkStreams } from './check-streams.ts';
import type { Defect } from './defect.ts';
import { requestsOf } from './model-journal.ts';

export interface SessionFigures {
  messages: number;
  requests: number;
  faults: number;
  effects: number;
  compactions: number;
  prunes: number;
  /** Times that the conversation continued from an earlier message. */
  branches: number;
  delivered: number;
  mostLostBytes: number;
  mostLostMs: number;
}

/** Checks a finished session against the records of the model server, the tools, the senders and the network. */
export function checkSession(
  folder: string,
  sessionId: string,
): { defects: Defect[]; figures: SessionFigures } {
  const paths = sessionPaths(folder);
  const stored = readDatabase(paths.database, sessionId);
  const requests = requestsOf(readLines<JournalLine>(paths.journal));
  const effects = readLines<EffectLine>(paths.effects);
  const sent = [...taskLines(), ...readLines<QueueLine>(paths.queue)];
  const lives = readLines<LifeLine>(paths.lives).map((life) => ({
    life,
    received: readLines<ReceivedLine>(paths.received(life.life)),
  }));
  const {
    defects: streamDefects,
    mostLostBytes,
    mostLostMs,
  } = checkStreams(lives, stored.messages, requests);
  const defects = [
    ...checkMessages(sent, stored, requests),
    ...checkRequests(requests),
    ...checkBranches(requests, stored),
    ...checkEffects(effects, stored.messages),
    ...checkCancels(readLines<CancelLine>(paths.cancels), lives, effects),
    ...checkFrozen(lives, { effects, ticks: readLines<TickLine>(paths.ticks) }),
    ...streamDefects,
    ...checkNotes(stored),
    ...checkDatabase(stored),
    ...checkBlobs(stored, paths.blobs),
    ...checkEnded(stored),
  ];
  const figures = {
    messages: stored.messages.length,
    requests: requests.length,
    faults: requests.filter(({ fault }) => fault !== undefined).length,
    effects: effects.length,
    compactions: stored.compactions,
    prunes: stored.prunes,
    branches: countBranches(stored),
    delivered: sent.filter((line) => line.type === 'acknowledged').length,
    mostLostBytes,
    mostLostMs,
  };
  return { defects, figures };
}

function countBranches({ messages, marks }: StoredSession): number {
  const branches = new Branches(marks);
  return messages.filter(({ sequence }) => branches.parentOf(sequence) !== sequence - 1).length;
}

/** Returns the lines for the first message, which every life sends with the same id. */
function taskLines(): QueueLine[] {
  return [
    { type: 'sending', at: 0, id: TASK_ID, token: TASK, number: 0 },
    { type: 'acknowledged', at: 0, id: TASK_ID },
  ];
}
